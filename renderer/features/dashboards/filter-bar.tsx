// Owns choosing the filters over all tiles: days of one field of dates, and conditions on any field the tiles have.
import { Button, NativeSelect, Popover, TextInput } from '@mantine/core'
import { IconFilter, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { fieldLabel } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { periodText } from '../../lib/period-text.ts'
import { t } from '../../lib/strings.ts'
import { FilterPanel, filterWords } from '../records/index.ts'
import type { RecordFilter } from '../records/index.ts'
import classes from './dashboards.module.css'
import { datedFields } from './filter-bar-query.ts'
import type { BarFilter } from './filter-bar-query.ts'

/** Choice of a period that asks for its days. */
const ownDays = 'days'

/** The bar; nothing where no tile has a field. */
export function FilterBar(props: {
  bar: BarFilter
  /** Fields of all tiles, each name once. */
  fields: readonly FieldDefinition[]
  context: FieldContext
  onChange: (bar: BarFilter) => void
}) {
  const { bar, fields, context, onChange } = props
  const [opened, setOpened] = useState(false)
  const dates = datedFields(fields)
  const words = bar.conditions && filterWords(bar.conditions, fields, context)
  const isOn = bar.range !== undefined || bar.conditions !== undefined
  if (fields.length === 0) return null
  return (
    <div className={classes.bar} role="group" aria-label={t('dashboards.filters')}>
      {dates.length > 0 && <RangeChoice bar={bar} dates={dates} onChange={onChange} />}
      <Popover
        opened={opened}
        onChange={setOpened}
        position="bottom-start"
        offset={4}
        transitionProps={{ duration: 0 }}
        withinPortal={false}
        returnFocus
        withRoles={false}
        trapFocus
      >
        <Popover.Target>
          <Button
            size="xs"
            variant={opened ? 'light' : 'subtle'}
            {...(words !== undefined || opened ? {} : { color: 'gray' })}
            leftSection={<IconFilter size={14} aria-hidden />}
            classNames={{ label: classes.barWords ?? '' }}
            aria-haspopup="dialog"
            aria-expanded={opened}
            onClick={() => setOpened(!opened)}
          >
            {words === undefined ? t('records.filter') : t('records.filterOn', { summary: words })}
          </Button>
        </Popover.Target>
        <Popover.Dropdown role="dialog" aria-label={t('dashboards.filterAll')} className={classes.dropdown ?? ''}>
          {opened && (
            <FilterPanel
              fields={fields}
              context={context}
              filter={bar.conditions}
              startField={undefined}
              found={undefined}
              onFilter={(conditions) => onChange({ ...bar, conditions })}
            />
          )}
        </Popover.Dropdown>
      </Popover>
      {isOn && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          leftSection={<IconX size={14} aria-hidden />}
          onClick={() => onChange({ conditions: undefined, range: undefined })}
        >
          {t('filter.clear')}
        </Button>
      )}
    </div>
  )
}

function RangeChoice(props: { bar: BarFilter; dates: readonly FieldDefinition[]; onChange: (bar: BarFilter) => void }) {
  const { bar, dates, onChange } = props
  const [chosen, setChosen] = useState(bar.range?.field ?? dates[0]!.name)
  const field = dates.find(({ name }) => name === (bar.range?.field ?? chosen)) ?? dates[0]!
  const [asksDays, setAsksDays] = useState(bar.range?.operator === 'between')
  const isBetween = bar.range ? bar.range.operator === 'between' : asksDays
  const [days, setDays] = useState<readonly [string, string]>(() => [
    bar.range?.texts[0] ?? '',
    bar.range?.texts[1] ?? '',
  ])
  const put = (range: RecordFilter | undefined): void => onChange({ ...bar, range })
  const putDays = (from: string, to: string): void => {
    setDays([from, to])
    if (from !== '' && to !== '') put({ field: field.name, operator: 'between', texts: [from, to] })
  }
  const period = bar.range?.operator === 'during' ? (bar.range.texts[0] ?? '') : isBetween ? ownDays : ''
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('dashboards.range.field')}
        value={field.name}
        data={dates.map((one) => ({ value: one.name, label: fieldLabel(one) }))}
        onChange={(event) => {
          setChosen(event.currentTarget.value)
          if (bar.range) put({ ...bar.range, field: event.currentTarget.value })
        }}
      />
      <NativeSelect
        size="xs"
        aria-label={t('dashboards.range')}
        value={period}
        data={[
          { value: '', label: t('dashboards.range.any') },
          ...periodChoices(period),
          { value: ownDays, label: t('dashboards.range.days') },
        ]}
        onChange={(event) => {
          const word = event.currentTarget.value
          setAsksDays(word === ownDays)
          if (word === ownDays) {
            if (bar.range) put(undefined)
          } else put(word === '' ? undefined : { field: field.name, operator: 'during', texts: [word] })
        }}
      />
      {isBetween && (
        <>
          <TextInput
            size="xs"
            type="date"
            aria-label={t('word.from')}
            value={bar.range?.texts[0] ?? days[0]}
            onChange={(event) => putDays(event.currentTarget.value, bar.range?.texts[1] ?? days[1])}
          />
          <TextInput
            size="xs"
            type="date"
            aria-label={t('filter.to')}
            value={bar.range?.texts[1] ?? days[1]}
            onChange={(event) => putDays(bar.range?.texts[0] ?? days[0], event.currentTarget.value)}
          />
        </>
      )}
    </>
  )
}

const offeredPeriods = [
  'today',
  'this_week',
  'this_month',
  'this_quarter',
  'this_year',
  'last_7_days',
  'last_30_days',
  'last_90_days',
  'last_month',
  'last_quarter',
  'last_year',
]

/** The periods that are offered, and the one in force when an address brought another. */
function periodChoices(inForce: string): { value: string; label: string }[] {
  const others = ['', ownDays, ...offeredPeriods].includes(inForce) ? [] : [inForce]
  return [...offeredPeriods, ...others].map((value) => ({ value, label: periodText(value) }))
}
