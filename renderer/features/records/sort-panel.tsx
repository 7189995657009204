// Owns choosing the order of a view: fields, the strongest first. Every choice is in force at once.
import { ActionIcon, Button, CloseButton, Group, NativeSelect } from '@mantine/core'
import { IconArrowUp, IconPlus } from '@tabler/icons-react'
import { useKeptFocus } from '../../components/use-kept-focus.ts'
import { fieldLabel } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { SortTerm } from './record-query.ts'
import classes from './tool-panels.module.css'

/** Terms an order has at most. @source D-78 */
const maxTerms = 10

/** The panel. */
export function SortPanel(props: {
  fields: readonly FieldDefinition[]
  sort: readonly SortTerm[]
  onSort: (sort: readonly SortTerm[]) => void
}) {
  const { sort, onSort } = props
  const kept = useKeptFocus<HTMLDivElement>(sort)
  const sortable = props.fields.filter((field) => field.sortable !== false)
  const free = sortable.find(({ name }) => !sort.some((term) => term.field === name))
  const change = (at: number, part: Partial<SortTerm>): void =>
    onSort(sort.map((term, index) => (index === at ? { ...term, ...part } : term)))
  return (
    <div {...kept} className={classes.panel}>
      {sort.length === 0 && <p className={classes.note}>{t('sort.empty')}</p>}
      {sort.map((term, at) => {
        const n = at + 1
        const others = new Set(sort.filter((other) => other !== term).map(({ field }) => field))
        return (
          <fieldset key={term.field} className={classes.term} aria-label={t('sort.term', { n })}>
            <NativeSelect
              size="xs"
              aria-label={t('word.field')}
              value={term.field}
              data-autofocus={at === 0 || undefined}
              data={sortable
                .filter(({ name }) => !others.has(name))
                .map((field) => ({ value: field.name, label: fieldLabel(field) }))}
              onChange={(event) => change(at, { field: event.currentTarget.value })}
            />
            <NativeSelect
              size="xs"
              aria-label={t('word.order')}
              value={term.order}
              data={[
                { value: 'asc', label: t('sort.asc') },
                { value: 'desc', label: t('sort.desc') },
              ]}
              onChange={(event) => change(at, { order: event.currentTarget.value === 'desc' ? 'desc' : 'asc' })}
            />
            <ActionIcon
              size={24}
              variant="subtle"
              aria-label={t('sort.up', { n })}
              disabled={at === 0}
              onClick={() =>
                onSort([...sort.slice(0, at - 1), term, ...sort.slice(at - 1).filter((other) => other !== term)])
              }
            >
              <IconArrowUp size={14} aria-hidden />
            </ActionIcon>
            <CloseButton
              size="sm"
              aria-label={t('sort.remove', { n })}
              onClick={() => onSort(sort.filter((other) => other !== term))}
            />
          </fieldset>
        )
      })}
      <Group justify="space-between" gap="xs">
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={!free || sort.length >= maxTerms}
          data-autofocus={sort.length === 0 || undefined}
          onClick={() => free && onSort([...sort, { field: free.name, order: 'asc' }])}
        >
          {t('word.addField')}
        </Button>
        <Button variant="subtle" size="compact-sm" disabled={sort.length === 0} onClick={() => onSort([])}>
          {t('sort.clear')}
        </Button>
      </Group>
    </div>
  )
}
