// Holds back the removal of what other items need (D-106). Reads only.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { platformError } from '#shared/errors.ts'
import type { Dependency } from '../references/dependencies.ts'
import { dependentsOf } from '../references/dependencies.ts'
import { splitChildName } from './field-items.ts'
import type { Ground } from './preparing.ts'

/**
 * Refuses when other items need this one. Parts of an object go with it and hold nothing back, and neither does what
 * goes in the same write.
 * @throws delete_restricted with every dependent; a field that refers to it comes first
 */
export function requireNoDependents({ items, leaving }: Ground, target: { type: MetadataType; name: string }): void {
  const going = new Set([...(leaving ?? []), `${target.type}/${target.name}`])
  const dependents = dependentsOf(target, items).filter((dependent) => !goesToo(dependent, going))
  const [first] = dependents.toSorted((a, b) => Number(b.sourceType === 'field') - Number(a.sourceType === 'field'))
  if (first === undefined) return
  const parts = splitChildName(first.sourceName)
  throw platformError('delete_restricted', {
    dependents,
    dependentObject: parts?.parent ?? first.sourceName,
    dependentField: parts?.child ?? null,
    dependentCount: dependents.length,
  })
}

function goesToo({ sourceType, sourceName }: Dependency, going: ReadonlySet<string>): boolean {
  if (going.has(`${sourceType}/${sourceName}`)) return true
  const object = splitChildName(sourceName)?.parent
  return object !== undefined && going.has(`object/${object}`)
}
