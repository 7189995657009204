// Owns the list of people: who has an account here, finding one, adding one.
import { Button, TextInput } from '@mantine/core'
import { IconPlus, IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { formatMoment } from '../../lib/format.ts'
import { navigate } from '../../lib/hash-location.ts'
import { useMe } from '../../lib/me.ts'
import { t, tn } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import { AccessFailure, AccessPage } from './access-page.tsx'
import { isAdmin, isBanned, peoplePerPage, peopleQuery } from './access-queries.ts'
import type { Person } from './access-queries.ts'
import { OutboxList } from './outbox-list.tsx'
import { PersonDialog } from './person-dialog.tsx'
import classes from './access.module.css'

const restMs = 250

/** The page. Search and place in the list are in the address. */
export function PeopleScreen() {
  const [parameters] = useSearchParams()
  const search = parameters.get('q') ?? ''
  const offset = Math.max(0, Number(parameters.get('from') ?? 0) || 0)
  const { data, error, refetch } = useQuery(peopleQuery(search, offset))
  const [adding, setAdding] = useState(false)
  const isAlone = data !== undefined && data.total <= 1 && search === ''
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('word.addAPerson')}
    </Button>
  )
  return (
    <AccessPage part="people" actions={data && !isAlone ? add : undefined}>
      {error && !data && <AccessFailure error={error} permission="manage_users" onRetry={() => void refetch()} />}
      {isAlone && (
        <EmptyState title={t('access.alone')} icon={<IconUsers size={32} stroke={1.5} aria-hidden />} actions={add}>
          {t('access.alone.text')}
        </EmptyState>
      )}
      {data && !isAlone && (
        <>
          <SearchField search={search} />
          <p className="cairn-hidden" role="status">
            {tn('people.count', data.total)}
          </p>
          {data.users.length === 0 ? (
            <EmptyState title={t('people.none', { query: search })} />
          ) : (
            <PeopleTable people={data.users} />
          )}
          <Pages offset={offset} total={data.total} search={search} />
        </>
      )}
      {data && <OutboxList />}
      <PersonDialog opened={adding} onClose={() => setAdding(false)} />
    </AccessPage>
  )
}

function address(search: string, offset: number): string {
  const parameters = new URLSearchParams()
  if (search !== '') parameters.set('q', search)
  if (offset > 0) parameters.set('from', String(offset))
  return parameters.size > 0 ? `/access?${parameters.toString()}` : '/access'
}

function SearchField(props: { search: string }) {
  const [text, setText] = useState(props.search)
  useEffect(() => {
    if (text.trim() === props.search) return
    const timer = setTimeout(() => navigate(address(text.trim(), 0), { replace: true }), restMs)
    return () => clearTimeout(timer)
  }, [text, props.search])
  return (
    <div className={classes.bar}>
      <TextInput
        type="search"
        label={t('people.search')}
        value={text}
        autoComplete="off"
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </div>
  )
}

function PeopleTable(props: { people: readonly Person[] }) {
  const me = useMe()
  const columns = [
    { label: t('word.name') },
    { label: t('word.emailAddress') },
    { label: t('word.username') },
    { label: t('word.state') },
    { label: t('word.added') },
  ]
  return (
    <ListTable label={t('word.people')} columns={columns}>
      {props.people.map((person) => (
        <tr key={person.id}>
          <th scope="row">
            <a href={`#/access/people/${person.id}`} className={parts.link}>
              {person.name || person.email}
            </a>
            {me?.user.id === person.id && <span className={parts.badge}>{t('word.you')}</span>}
          </th>
          <td>{person.email}</td>
          <td>{textOf(person, 'username')}</td>
          <td>
            {isBanned(person) ? (
              <span className={parts.badge} data-tone="bad">
                {t('people.state.banned')}
              </span>
            ) : (
              t(isAdmin(person) ? 'people.state.admin' : 'people.state.active')
            )}
          </td>
          <td data-time>{formatMoment(textOf(person, 'createdAt'))}</td>
        </tr>
      ))}
    </ListTable>
  )
}

function Pages(props: { offset: number; total: number; search: string }) {
  const { offset, total, search } = props
  if (total <= peoplePerPage) return null
  const go = (to: number): void => navigate(address(search, to))
  return (
    <div className={parts.actions}>
      <Button variant="default" disabled={offset === 0} onClick={() => go(Math.max(0, offset - peoplePerPage))}>
        {t('people.newer')}
      </Button>
      <Button variant="default" disabled={offset + peoplePerPage >= total} onClick={() => go(offset + peoplePerPage)}>
        {t('people.older')}
      </Button>
    </div>
  )
}
