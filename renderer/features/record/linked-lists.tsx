// Owns the lists of records of other objects that lead to this one.
import { useQueries } from '@tanstack/react-query'
import { IconArrowUpRight } from '@tabler/icons-react'
import { leadsToRecord } from '../../fields/index.ts'
import { recordPath } from '../../lib/record-address.ts'
import { t, tn } from '../../lib/strings.ts'
import { displayFieldOf, fieldList, objectPluralLabel, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { linkedQuery } from './record-queries.ts'
import classes from './record.module.css'

/** Lists of one page. */
const maxLists = 12

/** One list per field that leads here; lists without records are left out. */
export function LinkedLists(props: { object: ObjectItem; id: string; level: 2 | 3 }) {
  const { data: objects } = useObjects()
  const links = (objects ?? [])
    .flatMap((other) =>
      fieldList(other)
        .filter((field) => leadsToRecord(field.type) && field.reference === props.object.name && !field.multiple)
        .map((field) => ({ other, field })),
    )
    .slice(0, maxLists)
  const lists = useQueries({
    queries: links.map(({ other, field }) => linkedQuery(other.name, field.name, props.id, displayFieldOf(other))),
  })
  const Heading = `h${props.level}` as const
  return links.map(({ other, field }, at) => {
    const found = lists[at]?.data
    // Refused or broken: the record itself is worth showing all the same.
    if (!found || found.total === 0) return null
    const title = t('record.linked', { object: objectPluralLabel(other), field: field.label ?? field.name })
    return (
      <section key={`${other.name} ${field.name}`} className={classes.section} aria-label={title}>
        <Heading className={classes.sectionTitle}>{title}</Heading>
        <ul className={classes.links}>
          {found.records.map((record) => (
            <li key={record.id}>
              <a href={`#${recordPath(other.name, record.id)}`}>
                <IconArrowUpRight size={14} aria-hidden /> {record.label}
              </a>
            </li>
          ))}
        </ul>
        {found.total > found.records.length && (
          <p className={classes.hint}>{tn('record.linked.more', found.total - found.records.length)}</p>
        )}
      </section>
    )
  })
}
