// Guards of sync taken out of the program: a sentence of its source replaced while it is loaded, in a process of its own.
// Knows the source by its words; a guard that is worded differently by now is an error, never a twin that does nothing.
import { registerHooks } from 'node:module'

/** One replacement in a file below main. */
export interface Mutation {
  readonly file: string
  readonly from: string
  readonly to: string
}

const onePerEnvelope: Mutation = {
  file: 'plugins/sync/write/pack-new.ts',
  from: 'const packFrom = 4',
  to: 'const packFrom = Infinity',
}

const atOnce: readonly Mutation[] = [
  {
    file: 'plugins/sync/apply/calls.ts',
    from: 'return count <= wholeGroup && first <= seq ? Math.max(first + count - 1, seq) : seq',
    to: 'return first + count < 0 ? first : seq',
  },
  { file: 'plugins/sync/apply/retrying.ts', from: 'const sliceMs = 20', to: 'const sliceMs = 0' },
  { file: 'plugins/sync/apply/applier.ts', from: 'const savedTogether = 8', to: 'const savedTogether = 1' },
]

/** What a twin takes out, by its name. */
const mutations = {
  /** That an entry of the roster was closed is not read. */
  unpaired: [
    {
      file: 'plugins/sync/peers/roster-entries.ts',
      from: 'revokedAt: parsed.data.revokedAt ?? null }',
      to: 'revokedAt: null }',
    },
    {
      file: 'plugins/sync/peers/roster-entries.ts',
      from: 'revokedAt: revoked.data.at === backFrom.get(id) ? null : revoked.data.at,',
      to: 'revokedAt: null,',
    },
  ],
  /** Every author may write every document. */
  rights: [
    {
      file: 'plugins/sync/engine/create-engine.ts',
      from: "if (name?.kind !== 'metadata' && name?.kind !== 'workspace') return undefined",
      to: 'if (name !== undefined) return undefined',
    },
    {
      file: 'plugins/sync/engine/create-engine.ts',
      from: 'const person = personIn(tx, author, known)',
      to: 'const person = personIn(tx, author, known) === null ? "" : undefined',
    },
  ],
  /** Whoever is named may be invited. */
  readers: [
    {
      file: 'plugins/sync/peers/rights.ts',
      from: 'if (authorizer.closedBecause?.(ctx) !== undefined) return false',
      to: 'if (authorizer !== undefined) return true',
    },
  ],
  /** What waits is merged into the document at once. */
  scratch: [
    {
      file: 'replication/core/record-doc.ts',
      from: 'return { state, changedKeys: new Set(), pending: true,',
      to: 'return { state: Y.encodeStateAsUpdate(doc), changedKeys: new Set(), pending: true,',
    },
    {
      file: 'replication/core/sync-document.ts',
      from: 'return { merged: false, missing }',
      to: 'return { merged: false, missing, scratch: state }',
    },
    {
      file: 'plugins/sync/apply/merge-step.ts',
      from: 'if (!result.merged) return',
      to: `if (!result.merged && before !== undefined) store(tx, parts.state, remote.doc, before, { state: result.scratch, hash: before.lhash }, before.flags)
  if (!result.merged) return`,
    },
    {
      file: 'plugins/sync/apply/applier.ts',
      from: 'yield* tx.savepointSteps(() => mergeWhole(tx, device, part))',
      to: 'yield* mergeWhole(tx, device, part)',
    },
  ],
  /** What is no frame ends the program instead of costing its sender. */
  frames: [
    { file: 'plugins/sync/session/peer-session.ts', from: 'blame(`wire_${error.code}`)', to: 'process.exit(70)' },
  ],
  /** Every stamp moves the clock. */
  clock: [
    {
      file: 'replication/core/hlc.ts',
      from: 'const TRUSTED_AHEAD_MS = 5 * 60_000',
      to: 'const TRUSTED_AHEAD_MS = Infinity',
    },
  ],
  /** Documents of one call travel one by one, as a group that is still applied as a whole. */
  packs: [onePerEnvelope],
  /** Members of one call travel and are applied one by one. */
  groups: [onePerEnvelope, ...atOnce],
  /** Of two concurrent writes one is gone without a word. */
  silence: [
    {
      file: 'replication/core/merge-values.ts',
      from: 'if (conflict !== null) conflicts.push(conflict)',
      to: 'if (conflict === undefined) conflicts.push(conflict)',
    },
  ],
} as const satisfies Record<string, readonly Mutation[]>

/** Every replacement with the guard it is part of. */
export const allMutations: readonly (readonly [guard: string, mutation: Mutation])[] = Object.entries(
  mutations as Record<string, readonly Mutation[]>,
).flatMap(([guard, parts]) => parts.map((one) => [guard, one] as const))

/** The name of a guard that can be taken out. */
export type SyncGuard = keyof typeof mutations

/**
 * Takes a guard out of everything that is loaded from now on.
 * @throws Error when a file is loaded that does not say any more what would be replaced
 */
export function takeOut(guard: SyncGuard): void {
  const parts: readonly Mutation[] = mutations[guard]
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const meant = parts.filter(({ file }) => url.endsWith(`/main/${file}`))
      if (meant.length === 0) return loaded
      let source = String(loaded.source)
      for (const { file, from, to } of meant) {
        if (!source.includes(from)) throw new Error(`${file} does not say ${JSON.stringify(from)} any more.`)
        source = source.replace(from, () => to)
      }
      return { ...loaded, source }
    },
  })
}
