// Owns entries of the audit log as a table: when, what, who, about what, and the rest on demand.
import { useQuery } from '@tanstack/react-query'
import { FactList } from '../../components/fact-list.tsx'
import type { Fact } from '../../components/fact-list.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { locale } from '../../lib/language.ts'
import { t } from '../../lib/strings.ts'
import { everybodyQuery } from '../access/index.ts'
import { objectLabel, useObjects } from '../objects/index.ts'
import type { AuditEntry } from './audit-queries.ts'
import { itemTypeWord, kindWord } from './audit-words.ts'
import classes from './audit.module.css'

/** The table. */
export function AuditTable(props: { entries: readonly AuditEntry[] }) {
  const { data: people } = useQuery(everybodyQuery)
  const { data: objects } = useObjects()
  const objectOf = (name: string): string => {
    const object = objects?.find((each) => each.name === name)
    return object ? objectLabel(object) : name
  }
  const nameOf = (id: string): string | undefined => {
    const person = people?.find((each) => each.id === id)
    return person && (person.name || person.email)
  }
  const columns = [
    { label: t('word.when') },
    { label: t('word.what') },
    { label: t('word.who') },
    { label: t('audit.about') },
    { label: t('word.details') },
  ]
  return (
    <ListTable label={t('audit.list')} columns={columns}>
      {props.entries.map((entry) => (
        <tr key={entry.seq}>
          <th scope="row" style={{ whiteSpace: 'nowrap' }}>
            <time dateTime={entry.at}>
              {new Date(entry.at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' })}
            </time>
          </th>
          <td>
            <span className={classes.kind}>{kindWord(entry.kind)}</span>
            {entry.outcome !== 'ok' && <span className={classes.outcome}>{t(`audit.outcome.${entry.outcome}`)}</span>}
          </td>
          <td>{actorText(entry, nameOf)}</td>
          <td>{aboutText(entry, objectOf)}</td>
          <td>
            <Details entry={entry} />
          </td>
        </tr>
      ))}
    </ListTable>
  )
}

function actorText(entry: AuditEntry, nameOf: (id: string) => string | undefined): string {
  const { actor, realUserId } = entry
  const named =
    nameOf(actor.id) ??
    (actor.type === 'system' ? t('audit.system') : actor.id === 'anonymous' ? t('audit.anonymous') : actor.id)
  return realUserId === null ? named : t('audit.as', { actor: named, real: nameOf(realUserId) ?? realUserId })
}

function aboutText(entry: AuditEntry, objectOf: (name: string) => string): string {
  const { object, item, recordId } = entry
  const isObject = item !== null && item.type === 'object'
  const parts = [
    object !== null && !isObject && objectOf(object),
    item && `${itemTypeWord(item.type)} ${isObject ? objectOf(item.name) : item.name}`,
    recordId,
  ]
  return parts.filter(Boolean).join(', ')
}

function Details(props: { entry: AuditEntry }) {
  const { entry } = props
  const facts: Fact[] = [
    [t('audit.seq'), String(entry.seq)],
    [t('word.kind'), entry.kind],
    ...Object.entries(entry.details).map(
      ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    ),
    ...(entry.credential ? [[t('audit.credential'), entry.credential.kind] as const] : []),
    [t('audit.source'), entry.source],
    [t('word.request'), entry.requestId],
    [t('word.fingerprint'), entry.hash],
  ]
  return (
    <details className={classes.details}>
      <summary aria-label={t('audit.detailsOf', { seq: entry.seq })}>{t('word.details')}</summary>
      <FactList facts={facts} />
    </details>
  )
}
