// What charts and heat maps have in common: they stand side by side, and share their zoom by what x says.

import type { ChartBlock, HeatBlock } from '../document';
import type { Spec } from '../figure';
import { onAxis, stretchOf } from '../groups';

type Common = 'id' | 'title' | 'caption' | 'group' | 'height' | 'size' | 'toStretch' | 'fromStretch';

export function smallSpec(
    { id, title, caption, group, x, y }: ChartBlock | HeatBlock,
    isHero = false,
): Pick<Spec, Common> {
    return {
        id,
        title,
        caption,
        group,
        // One of several with the same ends is read beside them, and can be made larger.
        height: isHero ? 400 : y.range ? 150 : 260,
        size: isHero ? 'wide' : y.range ? 'multiple' : 'small',
        toStretch: (range) => stretchOf(range, x.unit, x.label),
        fromStretch: (stretch) => onAxis(stretch, x.unit, x.label),
    };
}
