// A relay that is meant to be killed: one device writes to it without a pause, and what is acknowledged is said on
// standard output before anything else happens. Knows how to be killed, nothing of what is checked afterwards.
// Usage: relay-child.ts <file> <incarnation> <private key as PEM, base64>
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { writeSync } from 'node:fs'
import { hashToken } from '#main/relay/admission.ts'
import { openRelay } from '#main/relay/relay.ts'
import { createRelaySession } from '#main/relay/relay-session.ts'
import { createSendWindow } from '#main/replication/wire/credit.ts'
import { envelopeSize } from '#main/replication/wire/envelope-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { packRun } from '#main/replication/wire/pack-run.ts'
import { createRelayDevice, testChannel } from './relay-device.ts'

const [file = '', inc = '', pem = ''] = process.argv.slice(2)
const privateKey = createPrivateKey(Buffer.from(pem, 'base64').toString())
const device = createRelayDevice(Number(inc), { privateKey, publicKey: createPublicKey(privateKey) })
const fail = (reason: unknown): never => {
  console.error(reason)
  process.exit(1)
}
const relay = openRelay({
  file,
  adminTokenHash: hashToken('secret'),
  version: '1.0.0',
  envelopesPerSecond: 1e9,
  onFailure: fail,
})
const window = createSendWindow()

const take = (frames: readonly Frame[]): void => {
  for (const frame of frames) {
    if (frame.kind === 'ERR') fail(frame.code)
    if (frame.kind !== 'ACK') continue
    window.acknowledged(frame.vector)
    writeSync(1, `${frame.vector.get(device.inc) ?? 0}\n`)
  }
}
const session = createRelaySession(relay, {
  channelHash: testChannel,
  send: take,
  close: fail,
  later: (milliseconds, job) => void setTimeout(job, milliseconds),
})
for (const frame of device.greeting({ token: 'secret' })) take(session.receive(frame))

/** Several runs a turn, of one envelope, of many, and now and then of a large one: commits of every size are cut. */
function write(turn: number): void {
  for (let index = 0; index < 1 + (turn % 4); index += 1) {
    const bodyBytes = turn % 50 === 49 ? 400_000 : 40 + (turn % 7) * 300
    if (!window.admits(bodyBytes * 20)) break
    const run = device.write(bodyBytes > 100_000 ? 1 : 1 + ((turn * 7) % 20), bodyBytes)
    for (const envelope of run.envelopes) window.sent(envelope, envelopeSize(envelope))
    for (const frame of packRun(run.envelopes, [run.head])) take(session.receive(frame))
  }
  setImmediate(write, turn + 1)
}
write(0)
