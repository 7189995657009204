// Owns the line above the grid: heading, search, filter, import, new record, and what can be done with ticked rows.
import { Button, CloseButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconChartBar, IconFilter, IconPlus, IconTableImport, IconTools, IconTrash } from '@tabler/icons-react'
import type { ReactNode, RefObject } from 'react'
import { fieldLabel } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { t, tn } from '../../lib/strings.ts'
import { objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { operatorOf } from './record-query.ts'
import type { RecordQuery } from './record-query.ts'
import classes from './records.module.css'
import { SearchBox } from './search-box.tsx'

/** The tools of a view. */
export function RecordToolbar(props: {
  object: ObjectItem
  fields: readonly FieldDefinition[]
  context: FieldContext
  query: RecordQuery
  searchInput: RefObject<HTMLInputElement | null>
  heading: RefObject<HTMLHeadingElement | null>
  checkedCount: number
  /** Menus of stored views. */
  views: ReactNode
  /** The button that saves what is shown as a file. */
  exports: ReactNode
  /** Whether the summary is open. */
  summing: boolean
  onSummary: () => void
  onSearch: (text: string) => void
  onFilter: () => void
  onNew: () => void
  onDelete: () => void
  onClearChecks: () => void
}) {
  const { object, query } = props
  const label = objectPluralLabel(object)
  const summary = filterSummary(props)
  const { data: manifest } = useQuery(discoveryQuery)
  // A capability that is not there has no entry; until the host has said so, it is taken to be there.
  const canSearch = manifest?.features.search !== false && object.enable?.searchable !== false
  const canImport = manifest?.features.import !== false
  const canSummarise = manifest?.features.analytics !== false
  return (
    <div className={classes.toolbar}>
      <h1 ref={props.heading} className={classes.title} tabIndex={-1}>
        {label}
      </h1>
      {props.checkedCount > 0 && (
        <div className={classes.checked}>
          <span role="status">{tn('records.checked', props.checkedCount)}</span>
          <CloseButton size="sm" aria-label={t('records.clearSelection')} onClick={props.onClearChecks} />
          <Button
            size="xs"
            variant="light"
            color="red"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={props.onDelete}
          >
            {tn('records.delete', props.checkedCount)}
          </Button>
        </div>
      )}
      <div className={classes.tools}>
        {canSearch && (
          <SearchBox
            ref={props.searchInput}
            label={t('records.search', { object: label })}
            value={query.search}
            onSearch={props.onSearch}
          />
        )}
        {props.views}
        <Button
          size="xs"
          variant={summary === undefined ? 'default' : 'light'}
          leftSection={<IconFilter size={14} aria-hidden />}
          onClick={props.onFilter}
          classNames={{ label: classes.filterLabel }}
        >
          {summary === undefined ? t('records.filter') : t('records.filterOn', { summary })}
        </Button>
        {props.checkedCount === 0 && (
          <>
            {canSummarise && (
              <Button
                size="xs"
                variant={props.summing ? 'light' : 'default'}
                aria-expanded={props.summing}
                leftSection={<IconChartBar size={14} aria-hidden />}
                onClick={props.onSummary}
              >
                {t('summary.open')}
              </Button>
            )}
            {canImport && props.exports}
            {canImport && (
              <Button
                component="a"
                href={`#/o/${object.name}/import`}
                size="xs"
                variant="default"
                leftSection={<IconTableImport size={14} aria-hidden />}
              >
                {t('records.import')}
              </Button>
            )}
            <Button
              component="a"
              href={`#/objects/${object.name}`}
              size="xs"
              variant="default"
              leftSection={<IconTools size={14} aria-hidden />}
            >
              {t('records.fields')}
            </Button>
          </>
        )}
        <Button size="xs" leftSection={<IconPlus size={14} aria-hidden />} onClick={props.onNew}>
          {t('records.new')}
        </Button>
      </div>
    </div>
  )
}

/** The first condition in words, and how many more there are. */
function filterSummary(props: {
  fields: readonly FieldDefinition[]
  context: FieldContext
  query: RecordQuery
}): string | undefined {
  const { filter } = props.query
  const known = (filter?.conditions ?? []).flatMap((condition) => {
    const found = operatorOf(condition, props.fields)
    return found ? [{ ...found, condition }] : []
  })
  const [first] = known
  if (!first) return undefined
  const { field, operator, condition } = first
  const words = [fieldLabel(field), props.context.translate(operator.label), condition.texts.join(' – ')]
  const summary = words.filter((word) => word !== '').join(' ')
  return known.length === 1 ? summary : tn('filter.more', known.length - 1, { summary })
}
