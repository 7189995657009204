// Owns numbers on a scale with steps: progress, slider, rating. @source D-94 progress, slider, rating

import { IconAdjustmentsHorizontal, IconProgress, IconStar } from '@tabler/icons-react'
import { RatingEditor } from '../editors/rating-editor.tsx'
import { SliderEditor } from '../editors/slider-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting, scaleSettings } from '../settings.ts'
import { numberOf, parseLimited } from '../number-rules.ts'
import { numberToText } from '../number-text.ts'
import { blankIsNull, parsed, refused } from '../parse-result.ts'
import { scaleOf, onStep, starsText } from '../scale.ts'
import { numberField } from './number.ts'
import { t } from '../../lib/strings.ts'

const parse: FieldType['parse'] = blankIsNull((text, field, context) => {
  const { min, max, step } = scaleOf(field)
  const read = parseLimited(text, { ...field, min, max }, context, undefined)
  if (!read.ok) return read
  const stepped = onStep(read.value as number, field)
  if (stepped !== null) return parsed(stepped)
  const { locale } = context
  return refused(context, 'field.step', { step: numberToText(step, locale), min: numberToText(min, locale) })
})

// Twenty classes are enough to see how far something is; the number stands beside the bar.
const barClass: FieldType['cellClass'] = (value, field) => {
  const number = numberOf(value)
  if (number === null) return 'field-number'
  const { min, max } = scaleOf(field)
  const share = max > min ? (number - min) / (max - min) : 0
  return `field-number field-bar field-bar-${Math.round(Math.min(1, Math.max(0, share)) * 20)}`
}

/** A number shown as a bar that fills its cell. */
export const progressField: FieldType = {
  ...numberField,
  label: t('fieldType.progress'),
  hint: t('fieldType.progress.hint'),
  settings: scaleSettings,
  importRank: undefined,
  innerRank: undefined,
  groupRank: undefined,
  icon: IconProgress,
  cellClass: barClass,
  parse,
  Editor: SliderEditor,
}

/** A number chosen on a scale. */
export const sliderField: FieldType = {
  ...progressField,
  label: t('fieldType.slider'),
  hint: t('fieldType.slider.hint'),
  icon: IconAdjustmentsHorizontal,
}

/** A number of stars. */
export const ratingField: FieldType = {
  ...numberField,
  label: t('fieldType.rating'),
  hint: t('fieldType.rating.hint'),
  settings: [setting('maxRating', 'integer'), setting('allowHalf', 'flag')],
  innerRank: 14,
  groupRank: 8,
  summaryRank: 1,
  importRank: undefined,
  icon: IconStar,
  format: (value, field) => starsText(numberOf(value), field),
  cellClass: () => 'field-stars',
  parse,
  Editor: RatingEditor,
}
