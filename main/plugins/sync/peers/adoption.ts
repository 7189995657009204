// What a machine held before it joined a workspace: it stays on this machine alone until a person brings it in. Knows no
// pairing and no HTTP.
import type { z } from 'zod'
import type { SyncAside } from '#shared/contracts/sync-parts.ts'
import { validationError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { Running } from './running.ts'
import type { WingParts } from './service.ts'
import { countAside, endAside, keepAside } from '../store/aside-store.ts'
import { syncedObjects } from '../write/record-backfill.ts'

type Parts = Pick<WingParts, 'host' | 'metadata'>

/** Objects of this machine whose records the workspace lacks. */
export type AsideAnswer = z.output<typeof SyncAside>

/** Keeps everything aside that is here, within the transaction that joins a workspace. */
export function keepAllAside(tx: Tx, metadata: Parts['metadata']): void {
  for (const schema of syncedObjects(metadata)) keepAside(tx, schema)
}

/** What is kept aside, by the label of its object. */
export function listAside(running: Running, { host, metadata }: Parts): AsideAnswer {
  const counts = countAside(host.read)
  const mayDefine = running.roster.isAdmin(running.keys.device)
  const objects = asideObjects(running, metadata, counts).map((schema) => ({
    object: schema.name,
    label: schema.pluralLabel,
    records: counts.get(schema.uid) ?? 0,
    isDefined: isShared(running, schema),
    mayAdopt: mayDefine || isShared(running, schema),
  }))
  return { objects: objects.toSorted((a, b) => a.label.localeCompare(b.label)) }
}

/**
 * Brings records into the workspace, as those of the person whose machine this is, and on the machine of an administrator
 * what is not defined there: with what the objects refer to.
 * @param names of objects; all that may be adopted without it
 * @throws validation_error for an object of which nothing is kept aside, or that only an administrator's machine may define
 */
export async function adoptAside(
  ctx: RequestContext,
  running: Running,
  parts: Parts,
  names?: readonly string[],
): Promise<AsideAnswer> {
  const { host, metadata } = parts
  const offered = new Map(listAside(running, parts).objects.map((one) => [one.object, one]))
  for (const name of names ?? [])
    if (offered.get(name)?.mayAdopt !== true)
      throw validationError([
        { field: 'objects', code: 'not_allowed', message: 'There is nothing of it to bring in here.', value: name },
      ])
  const wanted = withReferences(names ?? [...offered.keys()].filter((name) => offered.get(name)!.mayAdopt), {
    schemaOf: (name) => metadata.objectSchema(name),
    isOffered: (name) => offered.get(name)?.mayAdopt === true,
  })
  await host.write('sync.adopt', (tx) => {
    for (const schema of wanted) {
      endAside(tx, schema.uid)
      if (!isShared(running, schema)) running.kinds.items.define(tx, ctx, schema.name)
    }
    if (wanted.length > 0) running.engine.compareRecords(tx)
  })
  return listAside(running, parts)
}

/** Whether the workspace knows the object: it has a document, or comes with the program or a package. */
function isShared(running: Running, schema: ObjectSchema): boolean {
  return running.kinds.items.isShared(schema.name)
}

function asideObjects(
  running: Running,
  metadata: Parts['metadata'],
  counts: ReadonlyMap<string, number>,
): ObjectSchema[] {
  return syncedObjects(metadata).filter((schema) => counts.has(schema.uid) || !isShared(running, schema))
}

/** Objects with those they refer to that are not in the workspace either, each once, what is referred to first. */
function withReferences(
  names: readonly string[],
  known: { schemaOf(name: string): ObjectSchema | undefined; isOffered(name: string): boolean },
): ObjectSchema[] {
  const found = new Map<string, ObjectSchema>()
  const visited = new Set<string>()
  const visit = (name: string): void => {
    const schema = known.schemaOf(name)
    if (schema === undefined || visited.has(name)) return
    visited.add(name)
    for (const { reference, settings } of schema.fields)
      for (const one of [reference ?? [], settings.references ?? []].flat()) if (known.isOffered(one)) visit(one)
    found.set(name, schema)
  }
  for (const name of names) visit(name)
  return [...found.values()]
}
