// Channels of texts that are edited live: opening one, and everything its socket says. Numbers that are drawn anew for
// every room are taken out of what was heard.
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { readSyncMessage, writeSyncStep1 } from 'y-protocols/sync'
import { WebSocket } from 'ws'
import * as Y from 'yjs'
import type { ChannelCases, LeakCase, LeakCaller } from './leak-case.ts'
import { absentId, post } from './leak-case.ts'
import type { Answered } from './world.ts'

const quietMs = 300

interface Opened {
  readonly room: string
  readonly url: string
  readonly ticket: string
  readonly readOnly: boolean
}

/** Opens a text and listens to its room until it falls silent. */
async function listen({ url, headers }: LeakCaller, body: unknown): Promise<Answered> {
  const response = await fetch(`${url}/api/v1/sync/docs/open`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) return { status: response.status, headers: [], bytes: Buffer.from(text) }
  const opened = JSON.parse(text) as Opened
  const doc = new Y.Doc()
  const said: string[] = [`readOnly ${opened.readOnly}`]
  const socket = new WebSocket(`${opened.url}/${opened.room}`, ['cairn.v1', `cairn.ticket.${opened.ticket}`])
  await new Promise<void>((resolve, reject) => {
    let timer = setTimeout(resolve, 5_000)
    socket.on('error', reject)
    socket.on('open', () => {
      const encoder = encoding.createEncoder()
      encoding.writeVarUint(encoder, 0)
      writeSyncStep1(encoder, doc)
      socket.send(encoding.toUint8Array(encoder))
      socket.send(new Uint8Array([3]))
    })
    socket.on('message', (data: Buffer) => {
      const decoder = decoding.createDecoder(new Uint8Array(data))
      if (decoding.readVarUint(decoder) === 0) readSyncMessage(decoder, encoding.createEncoder(), doc, null)
      else said.push(data.toString('latin1'))
      clearTimeout(timer)
      timer = setTimeout(resolve, quietMs)
    })
  })
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
    socket.close()
  })
  return { status: 200, headers: [], bytes: Buffer.from([doc.getText('t').toJSON(), ...said].join('\n')) }
}

const opening = (body: unknown): LeakCase => ({
  ...post('/sync/docs/open', body),
  perform: (caller) => listen(caller, body),
})

export const documentChannels: Readonly<Record<string, ChannelCases>> = {
  'live texts': (world) => {
    const matter = (recordId: string, field = 'body') => opening({ object: 'matter', recordId, field })
    return [
      ...[...world.seen, ...world.hidden, world.seenDeleted, world.hiddenDeleted, absentId].map((id) => matter(id)),
      ...world.triedFields.flatMap((field) => [matter(world.seen[0]!, field), matter(world.hidden[0]!, field)]),
      ...['name', 'nothing'].map((field) => matter(world.seen[0]!, field)),
      opening({ object: 'vault', recordId: world.vaults[0], field: 'name' }),
      opening({ object: 'person', recordId: world.hiddenPerson, field: world.personField }),
    ]
  },
}
