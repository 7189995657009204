// Owns showing what happened on a day: its name, conversations, and runs of changes that unfold.
import type { ReactNode } from 'react'
import { useSearch } from 'wouter'
import { readRecordAddress } from '../../lib/record-address.ts'
import { locale, t, tn } from '../../lib/strings.ts'
import type { FeedDay } from './feed-days.ts'
import { actorName } from './feed-entry.tsx'
import type { Thread } from './feed-threads.ts'
import classes from './activity.module.css'

const dayMs = 86_400_000

/** The items of a list for a day; `draw` shows a conversation. */
export function DayItems(props: { day: FeedDay; draw: (thread: Thread) => ReactNode }) {
  const { day, draw } = props
  // What a link leads to must be there to get the focus.
  const called = readRecordAddress(useSearch()).item
  return (
    <>
      <li className={classes.day}>{dayText(day.day)}</li>
      {day.entries.map((entry) => {
        if ('thread' in entry) return draw(entry.thread)
        const [first] = entry.run
        return (
          first && (
            <li key={first.item.id}>
              <details className={classes.run} open={entry.run.some(({ item }) => item.id === called) || undefined}>
                <summary>{tn('activity.run', entry.run.length, { name: actorName(first.item) })}</summary>
                <ul className={classes.list}>{entry.run.map(draw)}</ul>
              </details>
            </li>
          )
        )
      })}
    </>
  )
}

function dayText(day: string): string {
  const at = new Date(`${day}T12:00:00`)
  const ago = Math.round((new Date().setHours(12, 0, 0, 0) - at.getTime()) / dayMs)
  if (ago === 0) return t('activity.today')
  if (ago === 1) return t('activity.yesterday')
  return at.toLocaleDateString(locale, { dateStyle: 'full' })
}
