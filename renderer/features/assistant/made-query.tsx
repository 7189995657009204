// Owns what a question was understood as: in words, to be checked and changed, run, shown as a table, kept as a view.
import { Button, Textarea } from '@mantine/core'
import { IconFilter, IconPlayerPlay, IconStar, IconTable } from '@tabler/icons-react'
import { useState } from 'react'
import { FactList } from '../../components/fact-list.tsx'
import type { Fact } from '../../components/fact-list.tsx'
import parts from '../../components/parts.module.css'
import { fieldLabel } from '../../fields/index.ts'
import { tablePath } from '../../lib/record-address.ts'
import { language } from '../../lib/language.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import {
  FilterPanel,
  ToolDialog,
  ViewDialog,
  buildGroup,
  filterWords,
  madeConditions,
  useFieldContext,
  useShownFields,
  useViewWrites,
  viewConfig,
  writeQuery,
} from '../records/index.ts'
import type { FilterGroup, ViewDraft } from '../records/index.ts'
import { trustOf } from './assistant-queries.ts'
import type { MadeQuery, Understood } from './assistant-queries.ts'
import { MadeResult } from './made-result.tsx'

/** The query. */
export function MadeQueryView({ answer, object }: { answer: Understood; object: ObjectItem }) {
  const { query: made, confidence, provider, explanation } = answer
  const context = useFieldContext()
  const fields = useShownFields(object)
  const writes = useViewWrites(object.name)
  const [filter, setFilter] = useState(() => madeConditions(made.filter, fields, context))
  const [source, setSource] = useState(() => JSON.stringify(made.filter, null, 2))
  const [filtering, setFiltering] = useState(false)
  const [keeping, setKeeping] = useState<ViewDraft>()
  const [ran, setRan] = useState<MadeQuery>()
  const [problem, setProblem] = useState<string>()

  const isGroup = made.aggregations !== undefined
  /** The filter as it stands now; undefined when it cannot be read. */
  const current = (): Record<string, unknown> | undefined => {
    if (filter !== null) return (filter && buildGroup(filter, fields, context)) ?? {}
    return readFilter(source)
  }
  const run = (): void => {
    const now = current()
    setProblem(now === undefined ? t('assistant.filter.wrong') : undefined)
    if (now !== undefined) setRan({ ...made, filter: now })
  }
  const change = (next: FilterGroup | undefined): void => {
    setFilter(next)
    setRan(undefined)
  }
  const keep = async (draft: ViewDraft): Promise<void> => {
    const names = fields.map(({ name }) => name)
    const shown = { filter: filter ?? undefined, sort: made.sort, search: '' }
    await writes.create(draft, viewConfig(shown, names, filter ? buildGroup(filter, fields, context) : undefined))
    setKeeping(undefined)
    showToast({ message: t('assistant.kept', { name: draft.label }), tone: 'good' })
  }

  const conditions = filter === null ? t('assistant.filter.source') : filter && filterWords(filter, fields, context)
  const labelOf = (path: string): string => {
    const field = fields.find(({ name }) => name === path)
    return field ? fieldLabel(field) : path
  }
  const facts: Fact[] = [
    [t('word.recordsOf'), objectPluralLabel(object)],
    [t('assistant.fact.conditions'), conditions ?? t('assistant.fact.none')],
    ...(made.sort.length === 0
      ? []
      : [
          [
            t('word.order'),
            made.sort.map(({ field, order }) => `${labelOf(field)} (${t(`assistant.order.${order}`)})`).join(', '),
          ] as const,
        ]),
    [t('word.atMost'), String(made.top)],
    [t('assistant.fact.trust'), t(`assistant.trust.${trustOf(confidence)}`)],
    [t('assistant.fact.provider'), t(`assistant.provider.${provider}`)],
  ]
  const view = { filter: filter ?? undefined, sort: made.sort, search: '', view: '' }
  return (
    <section className={parts.section} aria-labelledby="made-query">
      <h2 id="made-query">{t('assistant.made')}</h2>
      {/* The rules of this machine speak English; the facts say the same. */}
      {(provider !== 'embedded' || language === 'en') && <p className={parts.lead}>{explanation}</p>}
      <FactList facts={facts} />
      {filter === null && (
        <Textarea
          mt="md"
          label={t('assistant.filter')}
          description={t('assistant.filter.help')}
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
          value={source}
          error={problem}
          onChange={(event) => {
            setSource(event.currentTarget.value)
            setRan(undefined)
          }}
        />
      )}
      <div className={parts.actions}>
        <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={run}>
          {t('word.run')}
        </Button>
        {filter !== null && (
          <>
            <Button
              variant="default"
              leftSection={<IconFilter size={16} aria-hidden />}
              onClick={() => setFiltering(true)}
            >
              {t('assistant.edit')}
            </Button>
            {!isGroup && (
              <>
                <Button
                  component="a"
                  variant="default"
                  href={`#${tablePath(object.name, { view: writeQuery(view) })}`}
                  leftSection={<IconTable size={16} aria-hidden />}
                >
                  {t('word.showAsTable')}
                </Button>
                <Button
                  variant="default"
                  leftSection={<IconStar size={16} aria-hidden />}
                  onClick={() => setKeeping({ label: '', personal: true, isDefault: false })}
                >
                  {t('assistant.keep')}
                </Button>
              </>
            )}
          </>
        )}
      </div>
      {ran && <MadeResult key={JSON.stringify(ran)} query={ran} fields={fields} context={context} />}
      <ToolDialog title={t('filter.title')} opened={filtering} onClose={() => setFiltering(false)}>
        <FilterPanel
          fields={fields}
          context={context}
          filter={filter ?? undefined}
          startField={undefined}
          found={undefined}
          onFilter={change}
        />
      </ToolDialog>
      <ViewDialog
        title={t('assistant.keep')}
        draft={keeping}
        canComeFirst
        onClose={() => setKeeping(undefined)}
        onSave={keep}
      />
    </section>
  )
}

function readFilter(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined // the form says so
  }
}
