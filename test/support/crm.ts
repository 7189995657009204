// The example application test/fixtures/packages/crm: reads its files (the archive shape of D-130) and loads it
// through the public API, as a person with a client would.
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expectStatus } from './api-call.ts'
import type { ApiCall } from './api-call.ts'

/** The folder of the package. */
export const crmFolder = fileURLToPath(new URL('../fixtures/packages/crm', import.meta.url))

/** An object item as the file has it. */
export interface CrmObject {
  readonly name: string
  readonly fields: Readonly<Record<string, { readonly type: string; readonly reference?: string }>>
}

/** The package in memory. */
export interface CrmPackage {
  readonly manifest: Readonly<Record<string, unknown>>
  /** Every object after those its lookups name. */
  readonly objects: readonly CrmObject[]
  /** Seed records by object name. */
  readonly records: ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>
}

/** Rows of one createMany request (D-63). */
const bulkSize = 1_000

function readJson(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(crmFolder, ...path), 'utf8'))
}

function namesIn(...path: string[]): string[] {
  return readdirSync(join(crmFolder, ...path))
    .map((file) => basename(file, '.json'))
    .toSorted()
}

/** Orders objects so that a lookup always points back. @throws Error when lookups form a circle */
function inDependencyOrder(objects: readonly CrmObject[]): CrmObject[] {
  const ordered: CrmObject[] = []
  let waiting = [...objects]
  while (waiting.length > 0) {
    const ready = waiting.filter((object) =>
      Object.values(object.fields).every(
        (field) => field.reference === undefined || !waiting.some((other) => other.name === field.reference),
      ),
    )
    if (ready.length === 0) throw new Error(`circular lookups: ${waiting.map((object) => object.name).join(', ')}`)
    ordered.push(...ready)
    waiting = waiting.filter((object) => !ready.includes(object))
  }
  return ordered
}

/** Reads the package from its files. */
export function readCrmPackage(): CrmPackage {
  const objects = namesIn('metadata', 'object').map(
    (name) => readJson('metadata', 'object', `${name}.json`) as CrmObject,
  )
  return {
    manifest: readJson('manifest.json') as Record<string, unknown>,
    objects: inDependencyOrder(objects),
    records: new Map(
      namesIn('data').map((name) => [name, readJson('data', `${name}.json`) as Record<string, unknown>[]]),
    ),
  }
}

/**
 * Creates the objects and their records; returns the number of records by object.
 * @throws Error with the first answer that is no success, for example when the package is loaded already
 */
export async function loadCrm(call: ApiCall): Promise<Map<string, number>> {
  const { objects, records } = readCrmPackage()
  const counts = new Map<string, number>()
  for (const object of objects) {
    await expectStatus(call, 200, 'PUT', `/api/v1/meta/object/${object.name}`, object)
  }
  for (const object of objects) {
    const rows = records.get(object.name) ?? []
    for (let from = 0; from < rows.length; from += bulkSize) {
      const slice = rows.slice(from, from + bulkSize)
      await expectStatus(call, 201, 'POST', `/api/v1/data/${object.name}/createMany`, { records: slice })
    }
    counts.set(object.name, rows.length)
  }
  return counts
}
