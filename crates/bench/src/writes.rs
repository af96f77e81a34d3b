//! The bytes that a campaign may write: kept by the drives, and shared out among its steps.

use flashscope_core::{Pattern, WriteBudget};

use crate::plan::Plan;
use crate::step::{Cost, Preparation, Step};

/// Fewer IOs of a round say nothing.
const IOS_MIN: u64 = 64;

/// What a campaign may still write; without a bound as much as it takes.
pub(crate) struct Writes<'a> {
    plan: &'a Plan,
    budget: Option<WriteBudget>,
}

impl<'a> Writes<'a> {
    /// Nothing is written yet.
    pub fn new(plan: &'a Plan) -> Writes<'a> {
        Writes { plan, budget: plan.write_bound.map(|bound| WriteBudget::new(bound.0)) }
    }

    /// For the limits of a drive.
    pub fn budget(&self) -> Option<&WriteBudget> {
        self.budget.as_ref()
    }

    /// Before the interference experiment: the steps from number `next` on keep their least.
    pub fn before_interference(&self, next: usize, todo: &[bool]) {
        self.keep_least(next, todo, false, self.plan.shares.of_interference());
    }

    /// Before a preparation: the steps from number `next` on keep their least, and so does the interference
    /// experiment if it is still to come.
    pub fn before(&self, preparation: &Preparation, next: usize, todo: &[bool], is_learning_left: bool) {
        let own = Cost::of_preparation(preparation, self.plan.frame.span);
        self.keep_least(next, todo, is_learning_left, own.share_bytes);
    }

    /// Before step `number`: those behind it keep their shares. False if it has no bytes to begin with: then
    /// the budget is spent.
    pub fn before_run(&self, number: usize, step: &Step, todo: &[bool], is_learning_left: bool) -> bool {
        let (Some(budget), Some(bound)) = (&self.budget, self.plan.write_bound) else { return true };
        let left = budget.left_bytes();
        budget.keep(self.plan.shares.behind(number, todo, is_learning_left, bound.0, left));
        let available = budget.available_bytes();
        !step.patterns().filter(|pattern| pattern.writes()).map(Pattern::data_bytes).any(|io| io > available)
    }

    /// Whether what is left is enough for these preparations and a few IOs of a step.
    pub fn affords(&self, before: &[&Preparation], step: &Step) -> bool {
        let of_one = |one: &&Preparation| Cost::of_preparation(one, self.plan.frame.span).share_bytes;
        let before: u64 = before.iter().map(of_one).sum();
        let each: u64 = step.patterns().filter(|pattern| pattern.writes()).map(Pattern::data_bytes).sum();
        self.budget.as_ref().is_none_or(|budget| budget.left_bytes() >= before + IOS_MIN * each)
    }

    /// Keeps back the bytes without which nothing is learnt from what comes later, but none of the
    /// `own_bytes` of what comes first.
    fn keep_least(&self, next: usize, todo: &[bool], is_learning_left: bool, own_bytes: u64) {
        if let Some(budget) = &self.budget {
            let least = self.plan.shares.least_from(next, todo, is_learning_left);
            budget.keep(least.min(budget.left_bytes().saturating_sub(own_bytes)));
        }
    }
}
