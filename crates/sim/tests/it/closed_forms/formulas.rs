//! Write amplification in closed form or by mean field, for many blocks in steady state.
//!
//! `alpha` is physical over logical capacity without the blocks that never hold closed data, `b` the pages of
//! a block. Each formula names its source.

/// The root of a function that changes its sign once between `low` and `high`.
fn root(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    let rising = function(high) > 0.0;
    assert_ne!(rising, function(low) > 0.0, "no change of sign between {low} and {high}");
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if (function(middle) > 0.0) == rising {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}

/// FIFO under uniform random writes: p = exp(-alpha (1 - p)), A = 1/(1 - p) (Desnoyers, SYSTOR 2012; Xiang
/// and Kurkoski 2011).
pub fn fifo(alpha: f64) -> f64 {
    grouped_fifo(alpha, [(1.0, 1.0)].into_iter())
}

/// FIFO, groups with a share of the writes and a share of the space each, not separated:
/// A = sum r / (1 - exp(-r alpha / (f A))).
pub fn grouped_fifo(alpha: f64, groups: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    root(1.0, 1e4, |a| {
        let sum: f64 = groups.clone().map(|(r, f)| r / -(-r * alpha / (f * a)).exp_m1()).sum();
        a - sum
    })
}

/// FIFO under a Zipf law over `pages` pages.
pub fn zipf_fifo(alpha: f64, pages: u32, theta: f64) -> f64 {
    let weight = |rank: u32| f64::from(rank + 1).powf(-theta);
    let norm: f64 = (0..pages).map(weight).sum();
    grouped_fifo(alpha, (0..pages).map(|rank| (weight(rank) / norm, 1.0 / f64::from(pages))))
}

/// FIFO where a share `q` of the requests trims a random mapped page: write amplification, and the share of
/// the pages that is mapped (Frankie, Hughes, Kreutz-Delgado 2012).
pub fn trimmed_fifo(alpha: f64, q: f64) -> (f64, f64) {
    let mapped = (1.0 - 2.0 * q) / (1.0 - q);
    let faster = 1.0 + q / ((1.0 - q) * mapped);
    // In s = 1 - p, away from the root at p = 1.
    let moved = root(1e-9, 1.0, |s| s + (-faster * alpha * s).exp_m1());
    (1.0 / moved, mapped)
}

/// Greedy under uniform random writes (Van Houdt, SIGMETRICS 2013, infinitely many choices):
/// H_b - H_k + (k - e)/k = (b - e)/(b rho) with k = ceil(e), A = b/(b - e).
pub fn greedy(alpha: f64, b: u32) -> f64 {
    let pages = f64::from(b);
    let excess = |e: f64| {
        let k = e.ceil().max(1.0);
        let harmonic: f64 = (k as u32 + 1..=b).map(|i| 1.0 / f64::from(i)).sum();
        harmonic + (k - e) / k - (pages - e) / pages * alpha
    };
    // e = b solves it too, and the excess is negative just below that root.
    let e = root(1e-9, pages - 1e-6, excess);
    pages / (pages - e)
}

/// d-choices under uniform random writes, drawn with replacement (Van Houdt, SIGMETRICS 2013). The shares m_i
/// of blocks with i valid pages follow from the top down; c is such that they hold the logical space.
pub fn d_choices(alpha: f64, b: u32, d: i32) -> f64 {
    let rho = 1.0 / alpha;
    let mean = |c: f64| {
        let (mut above, mut sum) = (0.0, 0.0);
        for level in (1..=b).rev() {
            let i = f64::from(level);
            if 1.0 - above < 1e-12 {
                break;
            }
            // m = (1 - (above + m)^d) / (i c): the right side falls where the left one rises.
            let m = root(0.0, 1.0 - above, |m| m - (1.0 - (above + m).powi(d)) / (i * c));
            above += m;
            sum += i * m;
        }
        sum / f64::from(b)
    };
    // c = 1/(A rho) lies between A = 1/(1 - rho), random, and A = 1.
    let c = root((1.0 - rho) / rho * 0.5, 1.0 / rho, |c| mean(c) - rho);
    1.0 / (c * rho)
}

/// Random choice: A = 1/(1 - rho).
pub fn random(alpha: f64) -> f64 {
    1.0 / (1.0 - 1.0 / alpha)
}

/// A share of the pages that gets a share of the writes, and has a share of the spare blocks for itself,
/// beside the rest with the rest.
#[derive(Clone, Copy, Debug)]
pub struct Hot {
    pub writes: f64,
    pub space: f64,
    pub spare: f64,
}

/// Two parts that share nothing: sum r A(alpha_g) with sum f alpha_g = alpha, where `part` is the write
/// amplification of one (Desnoyers 2012).
pub fn two_parts(alpha: f64, hot: Hot, part: impl Fn(f64) -> f64) -> f64 {
    let of = |space: f64, spare: f64| part(1.0 + (alpha - 1.0) * spare / space);
    hot.writes * of(hot.space, hot.spare) + (1.0 - hot.writes) * of(1.0 - hot.space, 1.0 - hot.spare)
}

/// The split of the spare blocks with the least sum: perfect separation.
pub fn best_split(alpha: f64, writes: f64, space: f64, part: impl Fn(f64) -> f64) -> Hot {
    let splits = (20..980).map(|permille| Hot { writes, space, spare: f64::from(permille) / 1000.0 });
    let least = |a: &Hot, b: &Hot| two_parts(alpha, *a, &part).total_cmp(&two_parts(alpha, *b, &part));
    splits.min_by(least).expect("there are some")
}
