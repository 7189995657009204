// Owns keeping tiles true while records change, here or elsewhere: answers of an object are asked for again, so seldom
// that many tiles stay within what the host lets one caller ask.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { createCoalescer, useChannel } from '../../lib/realtime/index.ts'
import { onRecordsChanged } from '../../lib/record-changes.ts'
import { tileKey } from './dashboard-queries.ts'

/** Rest between two rounds for each tile that asks, in milliseconds. @source D-128 */
const restPerTileMs = 1_000

/** How long after it appeared a dashboard still counts as opening, in milliseconds. */
const openingMs = 2_000

/** Follows an object whose records `tiles` tiles of the dashboard show; draws nothing. */
export function LiveObject(props: { object: string; tiles: number }) {
  const { object } = props
  const client = useQueryClient()
  const gapMs = Math.max(1, props.tiles) * restPerTileMs
  const reload = useMemo(
    () => createCoalescer(async () => client.invalidateQueries({ queryKey: tileKey(object) }), gapMs),
    [client, object, gapMs],
  )
  useEffect(() => () => reload.stop(), [reload])
  const shownAt = useRef(Number.POSITIVE_INFINITY)
  useEffect(() => {
    shownAt.current = performance.now()
  }, [])
  useEffect(() => onRecordsChanged(object, () => reload.ask()), [object, reload])
  useChannel(`object:${object}`, (message) => {
    // A connection that is there again may have missed something; the first one has not.
    if (message.kind === 'open' && performance.now() - shownAt.current > openingMs) reload.ask()
    if (message.kind === 'event' && message.event.type.startsWith('record.')) reload.ask()
  })
  return null
}
