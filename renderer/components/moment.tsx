// Owns saying when something happened: how long ago, and exactly on hover and for readers.
import { useState } from 'react'
import { formatMoment } from '../lib/format.ts'
import { locale } from '../lib/language.ts'

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
const steps = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const
const dayLimit = 7

/** A moment. */
export function Moment(props: { at: string }) {
  const [now] = useState(() => Date.now())
  return (
    <time dateTime={props.at} title={formatMoment(props.at)}>
      {howLongAgo(props.at, now)}
    </time>
  )
}

/** How long ago a moment was, in words; the moment itself after a week. @internal Seen by tests. */
export function howLongAgo(at: string, now: number): string {
  const seconds = (now - Date.parse(at)) / 1_000
  if (seconds >= dayLimit * 86_400) return formatMoment(at)
  const step = steps.findLast(([, length]) => seconds >= length)
  return step ? relative.format(-Math.floor(seconds / step[1]), step[0]) : relative.format(0, 'second')
}
