// Owns the list of objects: what exists, how large it is, and the ways into each.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconPlus, IconTable } from '@tabler/icons-react'
import { Delayed } from '../../components/delayed.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel } from './object-item.ts'
import type { ObjectItem } from './object-item.ts'
import { recordCountQuery, useObjects } from './object-queries.ts'
import classes from './objects.module.css'

/** The page of all objects. */
export function ObjectListScreen() {
  const { data: objects, error, refetch } = useObjects()
  const actions = (
    <>
      <Button component="a" href="#/new/blank" leftSection={<IconPlus size={16} aria-hidden />}>
        {t('objects.new')}
      </Button>
      <Button component="a" href="#/new" variant="default">
        {t('objects.import')}
      </Button>
    </>
  )
  return (
    <Page title={t('objects.title')} lead={t('objects.lead')} actions={objects?.length ? actions : undefined}>
      {error && !objects && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {!objects && !error && (
        <Delayed>
          <p role="status">{t('app.loading')}</p>
        </Delayed>
      )}
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
  return (
    <table className={classes.table} aria-label={t('objects.list')}>
      <thead>
        <tr>
          <th scope="col">{t('objects.column.label')}</th>
          <th scope="col" className={classes.wideOnly}>
            {t('objects.column.name')}
          </th>
          <th scope="col" className={`${classes.number} ${classes.wideOnly}`}>
            {t('objects.column.fields')}
          </th>
          <th scope="col" className={classes.number}>
            {t('objects.column.records')}
          </th>
          <th scope="col">
            <span className="cairn-hidden">{t('objects.column.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.objects.map((object) => (
          <ObjectLine key={object.name} object={object} />
        ))}
      </tbody>
    </table>
  )
}

function ObjectLine(props: { object: ObjectItem }) {
  const { object } = props
  const { data: count } = useQuery(recordCountQuery(object.name))
  const label = objectPluralLabel(object)
  return (
    <tr>
      <th scope="row">
        <a href={`#/o/${object.name}`} className={classes.link}>
          {label}
        </a>
      </th>
      <td className={classes.wideOnly}>
        <code>{object.name}</code>
      </td>
      <td className={`${classes.number} ${classes.wideOnly}`}>{formatNumber(Object.keys(object.fields).length)}</td>
      <td className={classes.number}>{count === undefined ? '' : formatNumber(count)}</td>
      <td className={classes.lineActions}>
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
