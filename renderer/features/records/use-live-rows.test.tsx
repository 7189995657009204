// @vitest-environment happy-dom
// What others do reaches the rows whenever it happens: before there are any, and while this window writes.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import type { GridRecord } from '../../components/grid/index.ts'
import { whileWriting } from '../../lib/own-writes.ts'
import { useLiveRows } from './use-live-rows.ts'

/** The edge of the machine: the connection a host tells by. */
class Socket extends EventTarget {
  static last: Socket | undefined
  constructor() {
    super()
    Socket.last = this
  }
  close(): void {}
  tell(frame: Record<string, unknown>): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }))
  }
}

const client = new QueryClient()
const wrapper = (props: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{props.children}</QueryClientProvider>
)

it('records that come before the first rows, and changes during an own write, are not missed', async () => {
  vi.stubGlobal('WebSocket', Socket)
  vi.stubGlobal('fetch', async (address: string) =>
    Response.json(
      address.includes('connect')
        ? {
            connectionId: 'c',
            url: 'http://localhost/realtime',
            ticket: 't',
            subscriptions: [{ subscriptionId: 's', channel: 'object:task' }],
          }
        : { routes: { realtime: '/realtime' } },
    ),
  )
  let row: GridRecord = { id: 'r1', updated_at: '2026-01-01T00:00:00.001Z', pages: 1 }
  const reload = vi.fn()
  const rows = {
    patch: (change: (before: GridRecord) => GridRecord) => {
      row = change(row)
      return 1
    },
  }
  const view = { expand: [], sort: [], narrowed: false, figured: false }
  const { rerender, unmount } = renderHook(
    ({ isShown }) => useLiveRows({ object: 'task', view, rows, reload, isShown }),
    { wrapper, initialProps: { isShown: false } },
  )
  await waitFor(() => expect(Socket.last).toBeDefined())
  const socket = Socket.last!
  const event = (eventId: string, type: string, recordId: string, payload: Record<string, unknown>) =>
    socket.tell({
      type: 'event',
      event: { eventId, subscriptionId: 's', channel: 'object:task', type, recordId, payload },
    })
  socket.tell({ type: 'ready', connectionId: 'c', lastEventId: '1', resumed: false })

  event('2', 'record.created', 'r9', { record: { id: 'r9' } })
  await act(async () => new Promise((resolve) => setTimeout(resolve, 20)))
  expect(reload).not.toHaveBeenCalled()
  rerender({ isShown: true })
  await waitFor(() => expect(reload).toHaveBeenCalledOnce())

  let end = (): void => undefined
  const own = whileWriting(['r1'], async () => new Promise<void>((resolve) => (end = resolve)))
  const theirs = { id: 'r1', updated_at: '2026-01-01T00:00:00.002Z', pages: 2 }
  event('3', 'record.updated', 'r1', { record: theirs, changes: { pages: {} } })
  expect(row['pages']).toBe(2)
  end()
  await own
  unmount()
  // Nothing of the connection outlives the test.
  socket.dispatchEvent(new Event('close'))
  vi.unstubAllGlobals()
})
