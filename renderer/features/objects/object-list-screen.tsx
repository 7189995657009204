// Owns the list of objects: what exists, how large it is, and the ways into each.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconPlus, IconTable } from '@tabler/icons-react'
import { Loading } from '../../components/delayed.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel } from './object-item.ts'
import type { ObjectItem } from './object-item.ts'
import { recordCountQuery, useObjects } from './object-queries.ts'

/** The page of all objects. */
export function ObjectListScreen() {
  const { data: objects, error, refetch } = useObjects()
  const actions = (
    <>
      <Button component="a" href="#/new/blank" leftSection={<IconPlus size={16} aria-hidden />}>
        {t('word.newObject')}
      </Button>
      <Button component="a" href="#/new" variant="default">
        {t('word.objectFromFile')}
      </Button>
    </>
  )
  return (
    <Page title={t('word.objects')} lead={t('objects.lead')} actions={objects?.length ? actions : undefined}>
      {error && !objects && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {!objects && !error && <Loading />}
      {objects?.length === 0 && (
        <EmptyState
          title={t('objects.empty')}
          icon={<IconTable size={32} stroke={1.5} aria-hidden />}
          actions={actions}
        >
          {t('objects.empty.text')}
        </EmptyState>
      )}
      {objects && objects.length > 0 && <ObjectTable objects={objects} />}
    </Page>
  )
}

function ObjectTable(props: { objects: readonly ObjectItem[] }) {
  const columns = [
    { label: t('word.object') },
    { label: t('objects.column.name'), wide: true },
    { label: t('word.fields'), wide: true, number: true },
    { label: t('word.records'), number: true },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <ListTable label={t('word.objects')} columns={columns}>
      {props.objects.map((object) => (
        <ObjectLine key={object.name} object={object} />
      ))}
    </ListTable>
  )
}

function ObjectLine(props: { object: ObjectItem }) {
  const { object } = props
  const { data: count } = useQuery(recordCountQuery(object.name))
  const label = objectPluralLabel(object)
  return (
    <tr>
      <th scope="row">
        <a href={`#/o/${object.name}`} className={parts.link}>
          {label}
        </a>
      </th>
      <td data-wide>
        <code>{object.name}</code>
      </td>
      <td data-number data-wide>
        {formatNumber(Object.keys(object.fields).length)}
      </td>
      <td data-number>{count === undefined ? '' : formatNumber(count)}</td>
      <td data-end>
        <Button
          component="a"
          href={`#/objects/${object.name}`}
          variant="default"
          size="compact-sm"
          aria-label={t('objects.editOf', { object: label })}
        >
          {t('objects.edit')}
        </Button>
      </td>
    </tr>
  )
}
