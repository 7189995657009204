// Owns what narrows the audit log: kind, person, object, outcome and days.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../../lib/strings.ts'
import { everybodyQuery } from '../access/index.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import { auditKindsQuery } from './audit-queries.ts'
import type { AuditFilter, AuditOutcome } from './audit-queries.ts'
import { familyWord, kindWord } from './audit-words.ts'
import classes from './audit.module.css'

/** The controls; each change applies at once. */
export function AuditFilters(props: { filter: AuditFilter; onChange: (filter: AuditFilter) => void }) {
  const { filter } = props
  const { data: kinds } = useQuery(auditKindsQuery)
  const { data: people } = useQuery(everybodyQuery)
  const { data: objects } = useObjects()
  const set = (key: keyof AuditFilter, value: string): void => {
    const { [key]: _before, ...rest } = filter
    props.onChange(value === '' ? rest : { ...rest, [key]: value })
  }
  const outcomes: readonly AuditOutcome[] = ['ok', 'denied', 'failed']
  const present = (kinds ?? []).filter(({ kind, present: there }) => there || kind === filter.kind)
  const families = Map.groupBy(present, ({ kind }) => kind.split('.')[0] ?? '')
  return (
    <div className={classes.filters} role="group" aria-label={t('audit.filter')}>
      <NativeSelect
        label={t('word.what')}
        value={filter.kind ?? ''}
        data={[
          { value: '', label: t('audit.kind.any') },
          ...[...families].map(([family, members]) => ({
            group: familyWord(family),
            items: [
              { value: `${family}.*`, label: t('audit.family.all', { family: familyWord(family) }) },
              ...members.map(({ kind }) => ({ value: kind, label: kindWord(kind) })),
            ],
          })),
        ]}
        onChange={(event) => set('kind', event.currentTarget.value)}
      />
      <NativeSelect
        label={t('word.who')}
        value={filter.actor ?? ''}
        data={[
          { value: '', label: t('audit.actor.any') },
          ...(people ?? []).map((person) => ({ value: person.id, label: person.name || person.email })),
        ]}
        onChange={(event) => set('actor', event.currentTarget.value)}
      />
      <NativeSelect
        label={t('word.object')}
        value={filter.object ?? ''}
        data={[
          { value: '', label: t('word.anyObject') },
          ...(objects ?? []).map((object) => ({ value: object.name, label: objectPluralLabel(object) })),
        ]}
        onChange={(event) => set('object', event.currentTarget.value)}
      />
      <NativeSelect
        label={t('word.outcome')}
        value={filter.outcome ?? ''}
        data={[
          { value: '', label: t('audit.outcome.any') },
          ...outcomes.map((value) => ({ value, label: t(`audit.outcome.${value}`) })),
        ]}
        onChange={(event) => set('outcome', event.currentTarget.value)}
      />
      <TextInput
        type="date"
        label={t('word.from')}
        value={filter.since ?? ''}
        onChange={(event) => set('since', event.currentTarget.value)}
      />
      <TextInput
        type="date"
        label={t('audit.until')}
        value={filter.until ?? ''}
        onChange={(event) => set('until', event.currentTarget.value)}
      />
      {Object.keys(filter).length > 0 && (
        <Button variant="subtle" onClick={() => props.onChange({})}>
          {t('audit.clear')}
        </Button>
      )}
    </div>
  )
}
