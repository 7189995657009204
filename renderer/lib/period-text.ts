// Owns what a period of days is called.
import { isStringKey, t } from './strings.ts'

/** A period of `$during` in words, such as “Last 7 days”; one nobody knows as it is written. @source D-85 */
export function periodText(period: string): string {
  const [, side, days] = /^(last|next)_(\d+|N)_days$/.exec(period) ?? []
  if (side !== undefined && days !== undefined)
    return t(side === 'last' ? 'period.lastDays' : 'period.nextDays', { days })
  const key = `period.${period}`
  return isStringKey(key) ? t(key) : period
}
