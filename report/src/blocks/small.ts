// What charts and heat maps have in common: they stand side by side, and share their zoom by what x says.

import type { ChartBlock, HeatBlock } from '../document';
import type { Spec } from '../figure';
import { onAxis, stretchOf } from '../groups';

type Common = 'id' | 'title' | 'caption' | 'group' | 'height' | 'size' | 'toStretch' | 'fromStretch';

export function smallSpec({ id, title, caption, group, x }: ChartBlock | HeatBlock): Pick<Spec, Common> {
    return {
        id,
        title,
        caption,
        group,
        height: 280,
        size: 'small',
        toStretch: (range) => stretchOf(range, x.unit, x.label),
        fromStretch: (stretch) => onAxis(stretch, x.unit, x.label),
    };
}
