// Owns which lists of records of other objects stand on the page of a record: one per field that leads to it.
import { leadsToRecord } from '../../fields/index.ts'
import { fieldList, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { LinkedList } from './linked-list.tsx'

/** Lists of one page. */
const maxLists = 12

/** The lists, also those that have no records yet. */
export function LinkedLists(props: { object: ObjectItem; id: string; level: 2 | 3 }) {
  const { data: objects } = useObjects()
  const links = (objects ?? [])
    .flatMap((other) =>
      fieldList(other)
        .filter((field) => leadsToRecord(field.type) && field.reference === props.object.name && !field.multiple)
        .map((field) => ({ other, field })),
    )
    .slice(0, maxLists)
  return links.map(({ other, field }) => (
    // Another record begins with the first of its records.
    <LinkedList key={`${other.name} ${field.name} ${props.id}`} {...props} other={other} field={field} />
  ))
}
