// Owns choosing what the grid is grouped by and what is worked out of its columns. Every choice is in force at once.
import { Button, Group, NativeSelect } from '@mantine/core'
import { useKeptFocus } from '../../components/use-kept-focus.ts'
import { fieldLabel } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { functionLabel, functionsOf, maxLevels, readTerms, termChoices, termWord } from './group-terms.ts'
import type { GroupTerm, TotalFunction, TotalTerm } from './group-terms.ts'
import classes from './records.module.css'

/** What the panel shows and changes. */
export interface GroupPanelProps {
  fields: readonly FieldDefinition[]
  /** The fields that are columns: only these have totals. */
  columns: readonly FieldDefinition[]
  terms: readonly GroupTerm[]
  totals: readonly TotalTerm[]
  onTerms: (terms: readonly GroupTerm[]) => void
  onTotals: (totals: readonly TotalTerm[]) => void
  onToggleAll: (open: boolean) => void
  onClear: () => void
}

/** The panel. */
export function GroupPanel(props: GroupPanelProps) {
  const { fields, columns, terms, totals } = props
  const kept = useKeptFocus<HTMLDivElement>(terms.length + totals.length)
  const words = terms.map(termWord)
  const levels = Math.min(terms.length + 1, maxLevels)
  const setLevel = (level: number, word: string): void => {
    // Without a level the ones below move up; a field heads one level only.
    const next = word === '' ? words.toSpliced(level, 1) : words.with(level, word)
    props.onTerms(readTerms(next.join(',')) ?? [])
  }
  const setTotal = (field: string, fn: string): void => {
    const others = totals.filter((total) => total.field !== field)
    props.onTotals(fn === '' ? others : [...others, { field, fn: fn as TotalFunction }])
  }
  return (
    <div {...kept} className={classes.form}>
      {Array.from({ length: levels }, (_, level) => {
        const taken = new Set(terms.filter((_term, at) => at !== level).map(({ field }) => field))
        const choices = termChoices(fields, level).filter(({ value }) => !taken.has(value.split('.')[0] ?? ''))
        return (
          <NativeSelect
            key={level}
            size="xs"
            label={t(`groups.level.${level}` as StringKey)}
            value={words[level] ?? ''}
            data={[{ value: '', label: t('groups.none') }, ...choices]}
            data-autofocus={level === 0 || undefined}
            onChange={(event) =>
              level < words.length
                ? setLevel(level, event.currentTarget.value)
                : props.onTerms(readTerms([...words, event.currentTarget.value].join(',')) ?? [])
            }
          />
        )
      })}
      {terms.length > 0 && (
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => props.onToggleAll(true)}>
            {t('groups.expandAll')}
          </Button>
          <Button size="xs" variant="default" onClick={() => props.onToggleAll(false)}>
            {t('groups.collapseAll')}
          </Button>
        </Group>
      )}
      <fieldset className={classes.totals}>
        <legend>{t('groups.columns')}</legend>
        <p className={classes.help}>{t('groups.columns.help')}</p>
        {columns
          .filter((field) => functionsOf(field).length > 0)
          .map((field) => (
            <NativeSelect
              key={field.name}
              size="xs"
              label={fieldLabel(field)}
              classNames={{ root: classes.totalOf }}
              value={totals.find((total) => total.field === field.name)?.fn ?? ''}
              data={[
                { value: '', label: t('groups.fn.none') },
                ...functionsOf(field).map((fn) => ({ value: fn, label: functionLabel(fn, field) })),
              ]}
              onChange={(event) => setTotal(field.name, event.currentTarget.value)}
            />
          ))}
      </fieldset>
      <Button
        size="xs"
        variant="subtle"
        w="fit-content"
        disabled={terms.length === 0 && totals.length === 0}
        onClick={props.onClear}
      >
        {t('groups.clear')}
      </Button>
    </div>
  )
}
