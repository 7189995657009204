// Sample records of packages: all of them removed together, but for what people made their own (D-329).
import { PlatformError } from '#shared/errors.ts'
import { isSameJson } from '#shared/merge-patch.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'
import type { SeededRow } from '../store.ts'
import { endSamples, samplesOf } from '../store.ts'
import { seeding } from './execution.ts'
import type { PackageParts } from './parts.ts'
import { requirePackage, requireTransition } from './parts.ts'

/** Why a sample stays: somebody changed it, or something that stays refers to it. */
export type KeptReason = 'changed' | 'referenced'

/** A sample that stays; it is a record like any other from now on. */
export interface KeptSample {
  readonly object: string
  readonly id: string
  readonly reason: KeptReason
}

/** What became of the samples. */
export interface RemovedSamples {
  /** How many are in the trash now. */
  readonly removed: number
  readonly kept: readonly KeptSample[]
}

/**
 * Moves the samples of a package to the trash, in one transaction. Later versions bring no new ones.
 * @throws package_not_found, invalid_state_transition while it is disabled, permission_denied
 */
export async function removeSamples(parts: PackageParts, ctx: RequestContext, id: string): Promise<RemovedSamples> {
  const row = requirePackage(parts, id)
  // The objects of a disabled package cannot be reached.
  if (row.status === 'disabled') requireTransition(row, 'disabled')
  return parts.write('packages.samples', (tx) => {
    const records = parts.data.within(tx, seeding(ctx))
    const kept: KeptSample[] = []
    let removed = 0
    let waiting: SeededRow[] = []
    for (const sample of samplesOf(tx, id)) {
      const { object, record_id: recordId, seeded } = sample
      const found = records.find(object, { id: recordId })
      if (found === undefined || found.isDeleted) continue
      const fields = writtenFields(parts, object)
      if (isUntouched(found.record, JSON.parse(seeded) as PlatformRecord, fields)) waiting.push(sample)
      else kept.push({ object, id: recordId, reason: 'changed' })
    }
    // One that others refer to goes after them.
    while (waiting.length > 0) {
      const refused = waiting.filter(({ object, record_id: recordId }) => {
        const found = records.find(object, { id: recordId })
        // A cascade took it along.
        const isThere = found !== undefined && !found.isDeleted
        if (isThere && !tryRemove(() => records.remove(object, recordId))) return true
        removed += 1
        return false
      })
      if (refused.length === waiting.length) {
        kept.push(...refused.map((one) => ({ object: one.object, id: one.record_id, reason: 'referenced' as const })))
        break
      }
      waiting = refused
    }
    endSamples(tx, id)
    tx.emit(ctx, { type: 'packages.samples_removed', payload: { packageId: id, removed, kept: kept.length } })
    return { removed, kept }
  })
}

/** The fields people write: figures over other records change by themselves. */
function writtenFields({ metadata }: PackageParts, object: string): readonly string[] {
  const fields = metadata.objectSchema(object)?.fields ?? []
  return fields.filter(({ system, computed }) => !system && !computed).map(({ name }) => name)
}

function isUntouched(now: PlatformRecord, seeded: PlatformRecord, fields: readonly string[]): boolean {
  return fields.every((field) => !Object.hasOwn(seeded, field) || isSameJson(now[field] ?? null, seeded[field] ?? null))
}

function tryRemove(remove: () => void): boolean {
  try {
    remove()
    return true
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'delete_restricted') return false
    throw error
  }
}
