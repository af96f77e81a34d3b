//! Transforms that make noise of any shape harmless: normal scores, centred logarithms, whitening; and the
//! autocorrelation by fast Fourier transform.

/// Approximate normal scores of the ranks (ties share their mean rank), so that an outlier counts as a large
/// value and no more. Tukey's lambda approximation of the normal quantile: 4.91 (u^0.14 - (1-u)^0.14).
pub(crate) fn normal_scores(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
    let mut scores = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let value = values[order[from] as usize];
        let ties = order[from..].iter().take_while(|&&i| values[i as usize] == value).count();
        let rank = (from as f64 + ties as f64 / 2.0) / order.len() as f64;
        let score = 4.91 * (rank.powf(0.14) - (1.0 - rank).powf(0.14));
        order[from..from + ties].iter().for_each(|&i| scores[i as usize] = score);
        from += ties;
    }
    centred(&mut scores);
    scores
}

/// Logarithms in which a value far from its neighbours counts as a moderate one (Hampel's filter: four robust
/// standard deviations off the median of nine), so that spikes do not look like short regimes. Steps stay,
/// and so do values that are common: a second level is no outlier.
pub(crate) fn despiked_logs(values: &[f64]) -> Vec<f64> {
    let logs = centred_logs(values);
    let window = |i: usize| &logs[i.saturating_sub(4)..(i + 5).min(logs.len())];
    let middles: Vec<f64> = (0..logs.len()).map(|i| median_of(window(i))).collect();
    let off = |i: usize| median_of(&window(i).iter().map(|v| (v - middles[i]).abs()).collect::<Vec<_>>());
    let spreads: Vec<f64> = (0..logs.len()).map(off).collect();
    let distances: Vec<f64> = (0..logs.len()).map(|i| (logs[i] - middles[i]).abs()).collect();
    let typical = median_of(&spreads).max(quantile_of(&distances, 0.9) / 2.44);
    let limit = |i: usize| 4.0 * 1.4826 * spreads[i].max(typical);
    (0..logs.len()).map(|i| logs[i].clamp(middles[i] - limit(i), middles[i] + limit(i))).collect()
}

/// Natural logarithms with their mean taken off; a response time below 1 ns counts as 1 ns.
pub(crate) fn centred_logs(values: &[f64]) -> Vec<f64> {
    let mut logs: Vec<f64> = values.iter().map(|v| v.max(1.0).ln()).collect();
    centred(&mut logs);
    logs
}

fn centred(values: &mut [f64]) {
    let mean = mean_of(values);
    values.iter_mut().for_each(|v| *v -= mean);
}

pub(crate) fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Unbiased sample variance; 0 for fewer than two values.
pub(crate) fn variance_of(values: &[f64]) -> f64 {
    let mean = mean_of(values);
    let square: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    square / (values.len() as f64 - 1.0).max(1.0)
}

/// Lag-one autocorrelation of the values; 0 when they do not vary.
pub(crate) fn lag_one(values: &[f64]) -> f64 {
    let mean = mean_of(values);
    let square: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let product: f64 = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
    if square > 0.0 { product / square } else { 0.0 }
}

/// Removes positive first-order autocorrelation. A periodic series stays periodic under any linear filter,
/// so a cycle survives this and autoregressive noise does not.
pub(crate) fn whitened(values: &[f64]) -> Vec<f64> {
    let rho = lag_one(values).clamp(0.0, 0.95);
    let mut white: Vec<f64> = values.windows(2).map(|w| w[1] - rho * w[0]).collect();
    centred(&mut white);
    white
}

pub(crate) fn median_of(values: &[f64]) -> f64 {
    quantile_of(values, 0.5)
}

/// The value that this share of the values is below; 0 of none.
fn quantile_of(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    let rank = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
    if sorted.is_empty() {
        return 0.0;
    }
    *sorted.select_nth_unstable_by(rank, f64::total_cmp).1
}

/// Autocorrelation at lags 0 to `lags_max` by the Wiener-Khinchin theorem, each divided by the number of
/// pairs behind it.
pub(crate) fn autocorrelation(values: &[f64], lags_max: usize) -> Vec<f64> {
    let size = (values.len() + lags_max + 1).next_power_of_two();
    let mut re = values.to_vec();
    re.resize(size, 0.0);
    let mut im = vec![0.0; size];
    let roots = roots_of_unity(size);
    fft(&mut re, &mut im, &roots);
    for (r, i) in re.iter_mut().zip(im.iter_mut()) {
        (*r, *i) = (*r * *r + *i * *i, 0.0);
    }
    fft(&mut re, &mut im, &roots);
    let zero = re[0] / values.len() as f64;
    let at = |lag: usize| re[lag] / (values.len() - lag) as f64 / zero;
    (0..=lags_max).map(|lag| if zero > 0.0 { at(lag) } else { 0.0 }).collect()
}

/// Sine and cosine of the first half of the turns that a transform of this size takes.
fn roots_of_unity(size: usize) -> Vec<(f64, f64)> {
    let turn = -std::f64::consts::TAU / size as f64;
    (0..size / 2).map(|k| (turn * k as f64).sin_cos()).collect()
}

/// Iterative radix-2 transform in place (Cooley and Tukey 1965); the length is a power of two.
fn fft(re: &mut [f64], im: &mut [f64], roots: &[(f64, f64)]) {
    let size = re.len();
    let shift = usize::BITS - size.trailing_zeros();
    for i in 0..size {
        let j = if size == 1 { 0 } else { i.reverse_bits() >> shift };
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut half = 1;
    while half < size {
        let stride = size / (2 * half);
        for (re, im) in re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half)) {
            let ((re_a, re_b), (im_a, im_b)) = (re.split_at_mut(half), im.split_at_mut(half));
            let first = re_a.iter_mut().zip(im_a);
            let second = re_b.iter_mut().zip(im_b);
            let turned = roots.iter().step_by(stride);
            for (((re_a, im_a), (re_b, im_b)), (sin, cos)) in first.zip(second).zip(turned) {
                let (tr, ti) = (*re_b * cos - *im_b * sin, *re_b * sin + *im_b * cos);
                (*re_b, *im_b) = (*re_a - tr, *im_a - ti);
                (*re_a, *im_a) = (*re_a + tr, *im_a + ti);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_autocorrelation_equals_the_sum_of_products() {
        let values: Vec<f64> = (0..300).map(|i| f64::from((i * i * 31 + i * 7) % 101) - 50.0).collect();
        let fast = autocorrelation(&values, 70);
        let product = |lag: usize| {
            let sum: f64 = values.iter().zip(&values[lag..]).map(|(a, b)| a * b).sum();
            sum / (values.len() - lag) as f64
        };
        for (lag, got) in fast.iter().enumerate() {
            assert!((got - product(lag) / product(0)).abs() < 1e-9, "lag {lag}");
        }
    }

    #[test]
    fn scores_keep_the_order_share_ties_and_bound_an_outlier() {
        let scores = normal_scores(&[5.0, 1.0, 1.0, 1e12, 3.0]);
        assert!(scores[3] > scores[0] && scores[0] > scores[4] && scores[4] > scores[1]);
        assert_eq!(scores[1], scores[2]);
        assert!(scores[3] < 2.5);
        let many: Vec<f64> = (0..10_001).map(f64::from).collect();
        let score = normal_scores(&many)[9750];
        assert!((score - 1.96).abs() < 0.02, "{score}");
    }
}
