// Owns the part of the designer that says who may do what with the records of an object.
import { useQuery } from '@tanstack/react-query'
import { ListTable } from '../../components/list-table.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { administratorProfile } from '../../lib/own-rights.ts'
import { rightSetsQuery } from '../../lib/right-sets.ts'
import type { RightItem } from '../../lib/right-sets.ts'
import { locale } from '../../lib/language.ts'
import { t } from '../../lib/strings.ts'

/** Flags of a permission set by the action each allows. */
const flags = { read: 'allowRead', create: 'allowCreate', edit: 'allowEdit', delete: 'allowDelete' } as const
const actions = ['read', 'create', 'edit', 'delete'] as const

/** The part. */
export function RightsPart(props: { object: string; label: string }) {
  const profiles = useQuery(rightSetsQuery('profile'))
  const sets = useQuery(rightSetsQuery('permission'))
  const error = profiles.error ?? sets.error
  if (error) {
    return <LoadFailure error={error} onRetry={() => void Promise.all([profiles.refetch(), sets.refetch()])} />
  }
  if (!profiles.data || !sets.data) return null
  const lines = [
    ...profiles.data.map((item) => ({ type: 'profile', item })),
    ...sets.data.map((item) => ({ type: 'permission', item })),
  ]
  const columns = [{ label: t('word.name') }, { label: t('word.may') }]
  return (
    <>
      <p className={parts.lead}>{t('objectRights.lead')}</p>
      <ListTable label={t('objectRights.list', { object: props.label })} columns={columns}>
        {lines.map(({ type, item }) => (
          <tr key={`${type} ${item.name}`}>
            <th scope="row">
              <a className={parts.link} href={`#/access/rights/${type}/${item.name}`}>
                {item.label}
              </a>
            </th>
            <td>
              {item.name === administratorProfile ? t('objectRights.everything') : rightsText(item, props.object)}
            </td>
          </tr>
        ))}
      </ListTable>
    </>
  )
}

/** The rights of an item for an object in words; those for every object hold where it says nothing of its own. */
function rightsText(item: RightItem, object: string): string {
  const objects = (item['objects'] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  const own = objects[object] ?? objects['*'] ?? {}
  const given = actions.filter((action) => own[flags[action]] === true).map((action) => t(`action.${action}`))
  return given.length === 0 ? t('objectRights.nothing') : given.join(', ').toLocaleLowerCase(locale)
}
