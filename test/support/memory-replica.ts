// The log and the documents of a machine in memory: real chains, real signatures, real Yjs documents, no database. What
// a session with a peer may expect of the real one holds here too. Knows the wire and the digest, no link.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as Y from 'yjs'
import { deviceOf } from '#main/replication/core/device-id.ts'
import { bucketOf, createDigest, listBucket, nameHash } from '#main/replication/core/digest.ts'
import { encodePart } from '#main/replication/core/document-part.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import type { Head, SealedEnvelope } from '#main/replication/core/types.ts'
import type { LogRun, Quarantined, Received, Replica } from '#main/plugins/sync/engine/replica.ts'
import type { PeerRoster, PeerDevice } from '#main/plugins/sync/session/types.ts'
import type { ChainPoint } from '#main/replication/wire/chain.ts'
import {
  chainStart,
  headDueBefore,
  nextPoint,
  sinceHeadZero,
  signHead,
  verifyHead,
  verifyRun,
} from '#main/replication/wire/chain.ts'
import type { Signer } from '#main/replication/wire/device-key.ts'
import { publicKeyOf, signerOf } from '#main/replication/wire/device-key.ts'
import {
  decodeBody,
  encodeBody,
  encodeEnvelope,
  envelopeSize,
  isOpaque,
} from '#main/replication/wire/envelope-codec.ts'
import { repairPartBytes, runLimitCount } from '#main/replication/wire/limits.ts'

/** What all machines of a test know of each other. */
export interface TestWorkspace extends PeerRoster {
  readonly id: Uint8Array
  epoch: number
  readonly devices: Map<string, PeerDevice>
  /** The device that an incarnation belongs to. */
  readonly owners: Map<number, string>
}

/** Makes an empty workspace. */
export function createTestWorkspace(): TestWorkspace {
  const devices = new Map<string, PeerDevice>()
  return { id: new Uint8Array(16).fill(7), epoch: 1, devices, owners: new Map(), find: (device) => devices.get(device) }
}

/** A machine in memory. */
export interface MemoryReplica extends Replica {
  readonly device: string
  readonly inc: number
  readonly signer: Signer
  /** Writes a key of a document; one envelope under a head of its own. */
  write(doc: string, value: string, key?: string): void
  /** Writes so many documents as one call. */
  writeMany(count: number, prefix: string, bytes?: number): void
  /** Changes a document and tells the log nothing: one key of it, or so many. */
  diverge(doc: string, value: string, keys?: number): void
  /** Tells that an envelope was laid aside for good. */
  layAside(inc: number, seq: number, reason: Quarantined['reason']): void
  /** Everything in all documents. */
  content(): Record<string, unknown>
  /** What is kept of an incarnation. */
  stored(inc: number): readonly SealedEnvelope[]
  heads(inc: number): readonly Head[]
  readonly forks: string[]
  /** Highest own number that was noted before it left. */
  noted(): number
  /** Runs that came, in their order, and how many of their envelopes were here already. */
  readonly runs: { inc: number; from: number; to: number }[]
  duplicates(): number
  /** Waits so long before a run is stored. */
  storeMs: number
}

interface Log {
  readonly envelopes: SealedEnvelope[]
  readonly heads: Head[]
  point: ChainPoint
}

/** Makes a machine and enters it into the workspace. */
export function createMemoryReplica(
  workspace: TestWorkspace,
  inc: number,
  options: { readonly fingerprint?: string } = {},
): MemoryReplica {
  const { privateKey } = generateKeyPairSync('ed25519')
  const signer = signerOf(privateKey)
  const device = deviceOf(signer.signKey)
  workspace.devices.set(device, { signKey: signer.signKey, fingerprint: options.fingerprint ?? '', isRevoked: false })
  workspace.owners.set(inc, device)
  const logs = new Map<number, Log>()
  const docs = new Map<string, Y.Doc>()
  const hashes = new Map<string, Uint8Array>()
  const buckets = new Map<number, string[]>()
  const pending = new Set<string>()
  const digest = createDigest()
  const grown = new Set<() => void>()
  const applied = new Set<() => void>()
  const quarantined = new Set<(quarantined: Quarantined) => void>()
  const forks: string[] = []
  const runs: { inc: number; from: number; to: number }[] = []
  let counter = 0
  let noted = 0
  let duplicates = 0

  const logOf = (of: number): Log => {
    const log = logs.get(of) ?? { envelopes: [], heads: [], point: chainStart() }
    logs.set(of, log)
    return log
  }
  const tell = (listeners: Set<() => void>): void => {
    for (const listener of listeners) listener()
  }
  const docOf = (name: string): Y.Doc => {
    const doc = docs.get(name) ?? new Y.Doc()
    docs.set(name, doc)
    return doc
  }
  const namesOf = (bucket: number): string[] => {
    const names = buckets.get(bucket) ?? []
    buckets.set(bucket, names)
    return names
  }
  const rehash = (name: string): boolean => {
    const sorted = Object.entries(docOf(name).getMap('m').toJSON()).sort(([a], [b]) => (a < b ? -1 : 1))
    const after = createHash('sha256')
      .update(JSON.stringify([name, sorted]))
      .digest()
      .subarray(0, 8)
    const { pendingStructs, pendingDs } = docOf(name).store
    if (pendingStructs === null && pendingDs === null) pending.delete(name)
    else pending.add(name)
    const before = hashes.get(name)
    const bucket = bucketOf(name)
    if (before) digest.toggle(bucket, before)
    else namesOf(bucket).push(name)
    digest.toggle(bucket, after)
    hashes.set(name, after)
    return before === undefined || Buffer.compare(before, after) !== 0
  }
  const isPending = (): boolean => pending.size > 0

  const change = (name: string, key: string, value: string): Uint8Array => {
    const doc = docOf(name)
    const before = Y.encodeStateVector(doc)
    doc.clientID = inc
    doc.getMap('m').set(key, value)
    rehash(name)
    return Y.encodeStateAsUpdate(doc, before)
  }
  const append = (changes: readonly { doc: string; update: Uint8Array }[]): void => {
    const log = logOf(inc)
    let since = sinceHeadZero
    const head = (): void => {
      log.heads.push(signHead(signer, workspace.id, inc, log.point))
      since = sinceHeadZero
    }
    const first = log.point.seq + 1
    for (const { doc, update } of changes) {
      counter += 1
      const body = encodeBody({
        doc,
        kind: 'update',
        hlc: { ms: Date.now(), ctr: counter % 0xffff },
        group: { first, count: changes.length },
        author: 'user',
        aclRev: 0,
        schemaRev: 0,
        update,
        facts: [],
      })
      const envelope = { inc, seq: log.point.seq + 1, epoch: workspace.epoch, seal: 0, body }
      if (headDueBefore(since, envelopeSize(envelope))) head()
      log.envelopes.push(envelope)
      log.point = nextPoint(log.point, workspace.id, envelope)
      since = { count: since.count + 1, bytes: since.bytes + envelopeSize(envelope) }
    }
    head()
    tell(grown)
    tell(applied)
  }
  const apply = ({ body, seal }: SealedEnvelope): void => {
    const decoded = seal === 0 ? decodeBody(body) : undefined
    if (decoded === undefined || isOpaque(decoded)) return
    Y.applyUpdate(docOf(decoded.doc), decoded.update)
    rehash(decoded.doc)
  }
  const chainAt = ({ envelopes }: Log, seq: number): Uint8Array =>
    envelopes.slice(0, seq).reduce((point, one) => nextPoint(point, workspace.id, one), chainStart()).hash
  const isSame = (one: SealedEnvelope, other: SealedEnvelope | undefined): boolean =>
    other !== undefined && Buffer.compare(encodeEnvelope(one), encodeEnvelope(other)) === 0

  function check(envelopes: readonly SealedEnvelope[], head: Head): Received {
    const owner = workspace.devices.get(workspace.owners.get(head.inc) ?? '')
    if (owner === undefined) return { ok: false, reason: 'unknown_device' }
    if (owner.isRevoked) return { ok: false, reason: 'revoked' }
    const log = logOf(head.inc)
    const isSigned = head.inc !== inc || verifyHead(publicKeyOf(owner.signKey), workspace.id, head)
    if (envelopes.length === 0 && !isSigned) return { ok: false, reason: 'bad_signature' }
    if (head.inc === inc && isSigned) {
      const own = head.seq > log.point.seq ? undefined : chainAt(log, head.seq)
      if (own === undefined || Buffer.compare(own, head.hash) !== 0) return { ok: false, reason: 'fork' }
    }
    const known = envelopes.filter(({ seq }) => seq <= log.point.seq)
    duplicates += known.length
    if (known.some((one) => !isSame(one, log.envelopes[one.seq - 1])))
      return { ok: false, reason: head.inc === inc ? 'invalid' : 'fork' }
    const fresh = envelopes.slice(known.length)
    if (fresh.length === 0) return { ok: true, stored: 0 }
    if (fresh[0]!.seq > log.point.seq + 1) return { ok: false, reason: 'gap', from: log.point.seq + 1 }
    const publicKey = publicKeyOf(owner.signKey)
    const verdict = verifyRun({ workspace: workspace.id, before: log.point, envelopes: fresh, head, publicKey })
    if (!verdict.ok)
      return { ok: false, reason: ['signature', 'hash'].includes(verdict.fault) ? 'bad_signature' : 'invalid' }
    for (const envelope of fresh) log.envelopes.push({ ...envelope, body: new Uint8Array(envelope.body) })
    log.heads.push({ ...head, hash: new Uint8Array(head.hash), sig: new Uint8Array(head.sig) })
    log.point = verdict.point
    runs.push({ inc: head.inc, from: fresh[0]!.seq, to: head.seq })
    return { ok: true, stored: fresh.length }
  }

  const replica: MemoryReplica = {
    device,
    inc,
    signer,
    forks,
    runs,
    storeMs: 0,
    noted: () => noted,
    duplicates: () => duplicates,
    identity: () => ({ workspace: workspace.id, epoch: workspace.epoch, device, inc }),
    vector: () => new Map([...logs].filter(([, { point }]) => point.seq > 0).map(([of, { point }]) => [of, point.seq])),
    backlog: () => ({ waiting: isPending() ? 1 : 0, parked: 0, quarantined: 0 }),
    unprojected: () => ({ waiting: 0, isTrying: false }),
    read({ inc: of, from, to }, maxBytes): LogRun {
      const log = logOf(of)
      const envelopes: SealedEnvelope[] = []
      const heads: Head[] = []
      let bytes = 0
      const first = log.heads.findIndex(({ seq }) => seq >= from)
      for (const head of first === -1 ? [] : log.heads.slice(first, first + 300)) {
        const part = log.envelopes.slice(from - 1 + envelopes.length, head.seq)
        const size = part.reduce((sum, one) => sum + envelopeSize(one), 0)
        const isFull = bytes + size > maxBytes || envelopes.length + part.length > runLimitCount
        if (heads.length > 0 && (isFull || envelopes.length + from > to)) break
        envelopes.push(...part)
        heads.push(head)
        bytes += size
      }
      return { envelopes, heads }
    },
    chain: (of) => logOf(of).point,
    beforeSending: (seq) => void (noted = Math.max(noted, seq)),
    async receive(envelopes, head) {
      if (replica.storeMs > 0) await new Promise((resolve) => setTimeout(resolve, replica.storeMs))
      const result = check(envelopes, head)
      await nextTurn()
      if (result.ok && result.stored > 0) {
        tell(grown)
        for (const envelope of envelopes.slice(-result.stored)) apply(envelope)
        tell(applied)
      }
      return result
    },
    settled: () => Promise.resolve(),
    digest: () => (isPending() ? null : { vector: replica.vector(), buckets: digest.bytes() }),
    bucket: (bucket) => listBucket(namesOf(bucket).map((name) => [name, hashes.get(name)!])),
    namesIn: (bucket) => new Map(namesOf(bucket).map((name) => [Buffer.from(nameHash(name)).toString('hex'), name])),
    stateVector: (name) => Y.encodeStateVector(docs.get(name) ?? new Y.Doc()),
    difference: (name, vector) => encodePart(docs.get(name) ?? new Y.Doc(), vector, repairPartBytes),
    async repair(name, update) {
      await nextTurn()
      try {
        Y.applyUpdate(docOf(name), update)
      } catch (error) {
        throw new DocError('invalid', 'The difference is no update.', error)
      }
      const isChanged = rehash(name)
      tell(applied)
      return isChanged
    },
    refusalsOf: () => new Map(),
    noteFork: (doc) => void forks.push(doc),
    onGrown(listener) {
      grown.add(listener)
      return () => void grown.delete(listener)
    },
    onDamaged: () => () => undefined,
    retryFailed: () => undefined,
    mayMend: () => true,
    onQuarantined(listener) {
      quarantined.add(listener)
      return () => void quarantined.delete(listener)
    },
    layAside(from, seq, reason) {
      const owner = workspace.owners.get(from) ?? ''
      for (const listener of quarantined) listener({ device: owner, inc: from, seq, reason })
    },
    onApplied(listener) {
      applied.add(listener)
      return () => void applied.delete(listener)
    },
    write: (doc, value, key = 'value') => append([{ doc, update: change(doc, key, value) }]),
    writeMany(count, prefix, bytes = 20) {
      const value = 'x'.repeat(bytes)
      append(
        Array.from({ length: count }, (_, index) => {
          const doc = `${prefix}${index}`
          return { doc, update: change(doc, 'value', value) }
        }),
      )
    },
    diverge(doc, value, keys) {
      docOf(doc).clientID = inc + 1
      const map = docOf(doc).getMap('m')
      for (let key = 0; key < (keys ?? 0); key += 1) map.set(`${inc} ${key}`, value)
      if (keys === undefined) map.set('value', value)
      rehash(doc)
      tell(applied)
    },
    content: () =>
      Object.fromEntries(
        [...docs.keys()].sort().map((name) => [name, docOf(name).getMap('m').toJSON() as Record<string, unknown>]),
      ),
    stored: (of) => logs.get(of)?.envelopes ?? [],
    heads: (of) => logs.get(of)?.heads ?? [],
  }
  return replica
}
