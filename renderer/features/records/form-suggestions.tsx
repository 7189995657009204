// Owns suggestions while a form is filled: asked for by hand, offered beside their fields, taken or left one by one. Writes
// nothing: what is taken stands in the form like what was typed.
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeyboardEvent } from 'react'
import { ShortcutKeys } from '../../components/shortcut-keys.tsx'
import { fieldLabel } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { problemText } from '../../lib/problem-text.ts'
import { matchesStroke, parseShortcut } from '../../lib/shortcuts.ts'
import { t, tn } from '../../lib/strings.ts'
import classes from './records.module.css'

/** A value that is offered for a field. */
export type FormSuggestion = CallResult<'suggestWithAi'>['suggestions'][number]

/** What a form shows of suggestions. */
export interface FormSuggestions {
  /** False where the workspace has no assistant: nothing of suggestions is shown then. */
  readonly available: boolean
  readonly busy: boolean
  /** What came of asking, in words; undefined before. */
  readonly outcome: string | undefined
  of(field: string): FormSuggestion | undefined
  ask(): Promise<void>
  /** Takes or leaves the suggestion of a field. */
  settle(field: string): void
  forget(): void
}

/** The key that asks for suggestions, and takes the one of the field that is being edited. */
const shortcut = 'Mod+.'

/** Suggestions for the empty fields of a form; `values` reads what is filled in. */
export function useFormSuggestions(
  object: string,
  fields: readonly FieldDefinition[],
  values: () => Readonly<Record<string, unknown>>,
): FormSuggestions {
  const { data: manifest } = useQuery(discoveryQuery)
  const [offered, setOffered] = useState<readonly FormSuggestion[]>([])
  const [outcome, setOutcome] = useState<string>()
  const [busy, setBusy] = useState(false)
  return {
    available: manifest?.routes.ai != null,
    busy,
    outcome,
    of: (field) => offered.find((one) => one.field === field),
    async ask() {
      setBusy(true)
      try {
        const { suggestions } = await call('suggestWithAi', { body: { object, values: { ...values() } } })
        const fitting = suggestions.filter((one) => fields.some(({ name }) => name === one.field))
        setOffered(fitting)
        setOutcome(fitting.length === 0 ? t('formSuggestions.none') : tn('formSuggestions.found', fitting.length))
      } catch (error) {
        setOutcome(problemText(error))
      } finally {
        setBusy(false)
      }
    },
    settle(field) {
      const left = offered.filter((one) => one.field !== field)
      setOffered(left)
      setOutcome(left.length === 0 ? undefined : tn('formSuggestions.found', left.length))
    },
    forget() {
      setOffered([])
      setOutcome(undefined)
    },
  }
}

/** Handles the key of suggestions in a form; true where it was one. */
export function onSuggestionKey(
  event: KeyboardEvent,
  suggestions: FormSuggestions,
  take: (field: string) => void,
): boolean {
  if (!suggestions.available || !matchesStroke(event.nativeEvent, parseShortcut(shortcut)[0]!)) return false
  event.preventDefault()
  const field = (event.target as Element).closest('[data-field]')?.getAttribute('data-field')
  if (field && suggestions.of(field) !== undefined) take(field)
  else if (!suggestions.busy) void suggestions.ask()
  return true
}

/** The button that asks, and what came of it. */
export function SuggestButton({ suggestions }: { suggestions: FormSuggestions }) {
  if (!suggestions.available) return null
  return (
    <Group gap={8} w="100%">
      <Button
        variant="subtle"
        size="compact-sm"
        loading={suggestions.busy}
        onClick={() => void suggestions.ask()}
        rightSection={
          <span aria-hidden>
            <ShortcutKeys shortcut={shortcut} />
          </span>
        }
      >
        {t('formSuggestions.ask')}
      </Button>
      <span role="status" className={classes.help}>
        {suggestions.outcome}
      </span>
    </Group>
  )
}

/** One suggestion beside its field. */
export function OfferedValue(props: {
  field: FieldDefinition
  suggestion: FormSuggestion
  onTake: () => void
  onLeave: () => void
}) {
  const { suggestion } = props
  const words = { value: suggestion.label, field: fieldLabel(props.field) }
  return (
    <Group gap={8}>
      <Button
        variant="light"
        size="compact-xs"
        maw="100%"
        onClick={props.onTake}
        aria-label={t('formSuggestions.take', words)}
      >
        {suggestion.label}
      </Button>
      <span className={classes.help}>{suggestion.reason}</span>
      <Button variant="subtle" size="compact-xs" onClick={props.onLeave} aria-label={t('formSuggestions.leave', words)}>
        {t('formSuggestions.leaveShort')}
      </Button>
    </Group>
  )
}
