// The field type `percent`.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { parseDecimal } from './decimal.ts'
import { numberSettings, numericType } from './numeric.ts'

const withoutSign = (text: string): string => (text.endsWith('%') ? text.slice(0, -1) : text)

/** A percentage, 25 meaning 25 %; two fraction digits unless scale says otherwise; always a REAL column. @source D-94 */
export const percentType: FieldType = {
  ...numericType({
    scale: (settings) => settings.scale ?? 2,
    settings: { min: numberSettings.min, max: numberSettings.max, scale: z.int().min(0).max(12).optional() },
  }),
  family: 'number',
  listRank: 3,
  summable: true,
  sqlType: () => 'REAL',
  fromText: (text) => parseDecimal(withoutSign(text.trim()).trim()) ?? undefined,
}
