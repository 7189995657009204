// What the screens are measured over: objects with many records and pictures, made through the API. Knows no screen.
import { deflateSync, crc32 } from 'node:zlib'
import { multipart } from '../support/storage-calls.ts'
import type { RunningServer } from './servers.ts'

/** Fields of the wide object. */
export const fieldCount = 20

/** Calls the API of a host with its connection token. @throws Error on any answer that is no success */
export async function call<T = Record<string, unknown>>(
  server: RunningServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const [bytes, headers] =
    body instanceof Array
      ? (body as [Uint8Array, Record<string, string>])
      : [body === undefined ? undefined : JSON.stringify(body), { 'content-type': 'application/json' }]
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, ...(bytes === undefined ? {} : headers) },
    ...(bytes === undefined ? {} : { body: bytes as BodyInit }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text) as T
}

/** Makes an object of twenty fields, texts and numbers, with so many records. The title of record 7 is `Item 7 of many`. */
export async function makeWide(server: RunningServer, name: string, rows: number): Promise<void> {
  const names = Array.from({ length: fieldCount }, (_, index) => `f${index}`)
  const fields = Object.fromEntries(
    names.map((field, index) => [field, { type: index % 3 === 0 ? 'text' : 'number', label: `F${index}` }]),
  )
  const item = { name, label: 'Wide', pluralLabel: 'Wide', displayNameField: 'f0', fields, search: { fields: ['f0'] } }
  await call(server, 'PUT', `/meta/object/${name}`, item)
  const size = 10_000
  for (let from = 0; from < rows; from += size) {
    const part = Array.from({ length: Math.min(size, rows - from) }, (_, at) =>
      Object.fromEntries(names.map((field, index) => [field, valueOf(from + at, index)])),
    )
    await call(server, 'POST', `/data/${name}/import`, { rows: part })
  }
}

function valueOf(row: number, index: number): string | number {
  if (index === 0) return `Item ${row} of many`
  return index % 3 === 0 ? `r${row}c${index}` : row + index
}

/** Makes an object whose records have a picture each, every one another file, and a gallery of it called `pictures`. */
export async function makePictures(server: RunningServer, name: string, count: number): Promise<void> {
  const fields = { title: { type: 'text', label: 'Title' }, picture: { type: 'image', label: 'Picture' } }
  await call(server, 'PUT', `/meta/object/${name}`, { name, label: 'Photo', pluralLabel: 'Photos', fields })
  const atOnce = 8
  const records: { title: string; picture: string }[] = Array.from({ length: count })
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next
      next += 1
      const body = multipart(['file', picture(index), `photo-${index}.png`, 'image/png'])
      const { data } = await call<{ data: { fileId: string } }>(server, 'POST', '/storage/upload', body)
      records[index] = { title: `Photo ${index}`, picture: data.fileId }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  for (let from = 0; from < count; from += 500)
    await call(server, 'POST', `/data/${name}/createMany`, { records: records.slice(from, from + 500) })
  await call(server, 'POST', '/ui/views', {
    object: name,
    viewKind: 'list',
    key: 'pictures',
    label: 'Pictures',
    config: { type: 'gallery', gallery: { coverField: 'picture' }, columns: ['title'] },
  })
}

/** A PNG of 320 × 240 pixels, another one for each number. */
function picture(number: number): Buffer {
  const [width, height] = [320, 240]
  const raw = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = y * (width * 3 + 1) + 1 + x * 3
      raw[at] = (x + number) & 255
      raw[at + 1] = (y + (number >> 8)) & 255
      raw[at + 2] = (x * y + number) & 255
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(raw, { level: 1 })), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
