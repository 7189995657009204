// A device that was paired with a host like any other, and then says what a test wants: its real keys, a real link, and a
// log of its own whose signatures are right whatever is in the envelopes. Knows the wire, not what hosts make of it.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createFileSecrets } from '#main/kernel/file-secrets.ts'
import type { DeviceKeys } from '#main/replication/channel/device-keys.ts'
import { loadDeviceKeys } from '#main/replication/channel/device-keys.ts'
import { dialPeer } from '#main/replication/channel/peer-dial.ts'
import type { LinkPurpose } from '#main/replication/channel/peer-link.ts'
import type { EnvelopeBody, SealedEnvelope } from '#main/replication/core/types.ts'
import { chainStart, nextPoint, signHead } from '#main/replication/wire/chain.ts'
import { encodeBody } from '#main/replication/wire/envelope-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { protocols } from '#main/replication/wire/frames.ts'
import { packRun } from '#main/replication/wire/pack-run.ts'
import { proveChannel } from '#main/replication/wire/proofs.ts'
import type { RawPeer } from './raw-peer.ts'
import { createRawPeer } from './raw-peer.ts'
import type { PairingHost } from './synced-hosts.ts'
import { createSyncedHost, pair } from './synced-hosts.ts'

/** The device. */
export interface HostileDevice {
  /** Its id in the roster. */
  readonly device: string
  readonly keys: DeviceKeys
  /** The incarnation it writes under. */
  readonly inc: number
  /** The last sequence number it wrote. */
  seq(): number
  /** Opens a link and greets as every device does; to the host, or to a relay. */
  connect(to?: Destination, purpose?: LinkPurpose): Promise<RawPeer>
  /** Opens a link and says nothing. */
  dial(to?: Destination, purpose?: LinkPurpose): Promise<RawPeer>
  /** The first frames of a link with this secret. */
  greeting(secret: Uint8Array): readonly Frame[]
  /** The same keys with a log of their own. */
  again(): HostileDevice
  /** The frames of a run of envelopes with these bodies, signed; bytes are taken as a body as they are. */
  write(bodies: readonly ((Partial<EnvelopeBody> & { readonly doc: string }) | Uint8Array)[]): readonly Frame[]
}

/** Who is at which port of 127.0.0.1. */
export interface Destination {
  readonly fingerprint: string
  readonly port: number
}

/** Pairs a real machine with a host and takes its place. @param user whose machine it is; the inviting person by default */
export async function pairHostileDevice(
  host: PairingHost,
  role: 'admin' | 'member',
  user?: string,
): Promise<HostileDevice> {
  const machine = await createSyncedHost()
  try {
    const { invite } = await pair(host, machine, 'Stranger', { role, ...(user !== undefined && { user }) })
    const { workspaceId, epoch } = (await machine.get('/sync/status')).body
    const { fingerprint } = (await host.get('/sync/status')).body.device
    const { dataDir } = machine
    const keys = await loadDeviceKeys(join(dataDir, 'sync-device.json'), createFileSecrets(join(dataDir, 'secret.key')))
    const workspace = new Uint8Array(Buffer.from(workspaceId, 'hex'))
    const port = Number(new URL(`tcp://${invite.addresses[0]}`).port)
    return createHostileDevice(keys, { workspace, epoch, fingerprint, port })
  } finally {
    await machine.stop()
  }
}

/** Where the device goes: the workspace, and its host. */
interface HostilePlace extends Destination {
  readonly workspace: Uint8Array
  readonly epoch: number
}

/** Makes a device of keys, which the host may know or not. */
export function createHostileDevice(keys: DeviceKeys, place: HostilePlace): HostileDevice {
  const { workspace, epoch } = place
  const inc = randomBytes(4).readUInt32LE()
  let point = chainStart()
  const identity = () => ({ workspace, epoch, device: keys.device, inc })
  const dial: HostileDevice['dial'] = async ({ fingerprint, port } = place, purpose = 'peer') => {
    const options = { identity: keys.channel, peer: fingerprint, purpose, link: {} }
    const link = await dialPeer({ host: '127.0.0.1', port }, options)
    const vector = () => new Map(point.seq === 0 ? [] : [[inc, point.seq]])
    return createRawPeer(link, { identity, vector, signer: keys })
  }
  return {
    device: keys.device,
    keys,
    inc,
    seq: () => point.seq,
    dial,
    async connect(to, purpose) {
      const raw = await dial(to, purpose)
      raw.say(raw.hello(), raw.auth())
      return raw
    },
    greeting: (secret) => [
      {
        ...{
          kind: 'HELLO',
          protoMin: protocols.min,
          protoMax: protocols.max,
          ws: workspace,
          epoch,
          device: keys.device,
          inc,
        },
        ...{ time: Date.now(), appVersion: '1.0.0', schemaRev: 0, vector: new Map() },
      },
      proveChannel(keys, secret, 'client'),
    ],
    again: () => createHostileDevice(keys, place),
    write(bodies) {
      const envelopes = bodies.map((body): SealedEnvelope => {
        const seq = point.seq + 1
        const bytes = body instanceof Uint8Array ? body : encodeBody({ ...plainBody(seq), ...body })
        const envelope = { inc, seq, epoch, seal: 0, body: bytes }
        point = nextPoint(point, workspace, envelope)
        return envelope
      })
      return packRun(envelopes, [signHead(keys, workspace, inc, point)])
    },
  }
}

function plainBody(seq: number): Omit<EnvelopeBody, 'doc'> {
  return {
    kind: 'update',
    hlc: { ms: Date.now(), ctr: 0 },
    group: { first: seq, count: 1 },
    author: '00000000-0000-7000-8000-000000000001',
    aclRev: 0,
    schemaRev: 0,
    update: new Uint8Array(),
    facts: [],
  }
}
