// Many clients of realtime in a process of their own: each counts the events it hears. Told what to do and asked for
// the counts over the channel of its parent.
import { WebSocket } from 'ws'

/** What the clients are to do. */
export interface ClientTask {
  readonly url: string
  readonly clients: number
  readonly perUser: number
}

/** What one client heard: how many events, and how often an id was not above the one before. */
export interface ClientCount {
  readonly heard: number
  readonly unordered: number
  readonly closed: boolean
}

const counts: { heard: number; unordered: number; closed: boolean; lastId: number }[] = []

function open({ url, perUser }: ClientTask, at: number): Promise<void> {
  const count = { heard: 0, unordered: 0, closed: false, lastId: 0 }
  counts[at] = count
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/realtime/ws`, ['cairn.v1'], {
    headers: { authorization: `Bearer test-user-${Math.floor(at / perUser)}` },
    perMessageDeflate: false,
  })
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send('{"type":"subscribe","channel":"object:note"}'))
    socket.on('error', reject)
    socket.on('close', () => (count.closed = true))
    socket.on('message', (data: Buffer) => {
      const text = data.toString('latin1')
      if (text.startsWith('{"type":"subscribed"')) resolve()
      const id = /^\{"type":"event","event":\{"eventId":"(\d+)"/.exec(text)?.[1]
      if (id === undefined) return
      count.heard += 1
      if (Number(id) <= count.lastId) count.unordered += 1
      count.lastId = Number(id)
    })
  })
}

process.on('message', (task: ClientTask | 'count') => {
  if (task === 'count') {
    process.send!(counts.map(({ heard, unordered, closed }): ClientCount => ({ heard, unordered, closed })))
    return
  }
  void (async () => {
    const slice = 25
    for (let at = 0; at < task.clients; at += slice) {
      const size = Math.min(slice, task.clients - at)
      await Promise.all(Array.from({ length: size }, (_, index) => open(task, at + index)))
    }
    process.send!('open')
  })()
})
