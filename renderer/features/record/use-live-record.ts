// Owns keeping a record on screen, its activity and its history true while others write. What is being typed is nobody's
// cache and stays.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { createCoalescer, useChannel, usePresence } from '../../lib/realtime/index.ts'
import { useOwnId } from '../../lib/me.ts'

/** Follows a record; answers who else looks at it. */
export function useLiveRecord(object: string, id: string) {
  const client = useQueryClient()
  const stale = useRef(new Set<'record' | 'feed' | 'changelog' | 'workflow-state'>())
  const { invalidate, refresh } = useMemo(() => {
    const invalidate = async (): Promise<void> => {
      const parts = [...stale.current]
      stale.current.clear()
      await Promise.all(parts.map(async (part) => client.invalidateQueries({ queryKey: [part, object, id] })))
    }
    return { invalidate, refresh: createCoalescer(invalidate) }
  }, [client, object, id])
  useEffect(
    () => () => {
      refresh.stop()
      // What was heard in the last moment is not lost on whoever shows the record next.
      void invalidate()
    },
    [invalidate, refresh],
  )
  const channel = `record:${object}:${id}`
  useChannel(channel, (message) => {
    if (message.kind === 'presence') return
    const isAll = message.kind === 'open'
    if (isAll || message.event.type.startsWith('feed.')) stale.current.add('feed')
    if (isAll || /^(record|workflow|approval)[.]/.test(message.event.type)) stale.current.add('workflow-state')
    if (isAll || message.event.type.startsWith('record.')) {
      // A change is an entry of the activity and of the history too.
      for (const part of ['record', 'feed', 'changelog'] as const) stale.current.add(part)
    }
    if (stale.current.size > 0) refresh.ask()
  })
  return usePresence(channel, useOwnId()).others
}
