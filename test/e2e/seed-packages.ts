// An installed application and files for the screens of packages and files.
import { png } from '../support/storage-calls.ts'
import type { ConsoleBench } from './open-console.ts'

/** Sends a file as a person would and answers its id. */
export async function sendFile(bench: ConsoleBench, name: string, bytes: Buffer, type: string): Promise<string> {
  const { url, token } = bench.host
  const answer = await fetch(`${url}/api/v1/storage/upload?filename=${encodeURIComponent(name)}&scope=private`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: new Uint8Array(bytes),
  })
  return ((await answer.json()) as { data: { fileId: string } }).data.fileId
}

/** Installs the application for hiring and gives one of its records a file; another file is used by nothing. */
export async function seedPackages(bench: ConsoleBench): Promise<void> {
  interface Available {
    data: { packages: { packageId: string; artifactRef: string }[] }
  }
  const { data } = await bench.api<Available>('GET', '/packages/available')
  const { artifactRef } = data.packages.find(({ packageId }) => packageId === 'app.cairn.hiring')!
  await bench.api('POST', '/packages/install', { artifactRef })
  const fileId = await sendFile(bench, 'notes.txt', Buffer.from('Words of a file'), 'text/plain')
  await sendFile(bench, 'dot.png', png, 'image/png')
  const { records } = await bench.api<{ records: { id: string }[] }>('GET', '/data/hiring_application?top=1')
  await bench.api('PATCH', `/data/hiring_application/${records[0]!.id}`, { documents: [fileId] })
}
