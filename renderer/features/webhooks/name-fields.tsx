// Owns the two names of a webhook or receiver in its form: what people call it, and the API name that follows it.
import { TextInput } from '@mantine/core'
import { t } from '../../lib/strings.ts'
import { nameFromLabel } from '../objects/index.ts'

/** The names of a draft. */
export interface DraftNames {
  readonly label: string
  readonly name: string
}

/** The API name a label leads to; empty for an empty label. */
export function nameOfLabel(label: string, fallback: string): string {
  return label.trim() === '' ? '' : nameFromLabel(label, fallback)
}

/** The fields; the API name follows the label until it is typed, and cannot be changed later. */
export function NameFields(props: {
  draft: DraftNames
  isNew: boolean
  fallback: string
  problemOf: (field: string) => string | undefined
  onChange: (change: Partial<DraftNames>) => void
}) {
  const { draft, isNew, fallback, problemOf, onChange } = props
  const rename = (label: string): void => {
    const follows = isNew && draft.name === nameOfLabel(draft.label, fallback)
    onChange({ label, ...(follows ? { name: nameOfLabel(label, fallback) } : {}) })
  }
  return (
    <>
      <TextInput
        label={t('word.label')}
        value={draft.label}
        error={problemOf('label')}
        autoComplete="off"
        data-autofocus
        onChange={(event) => rename(event.currentTarget.value)}
      />
      {isNew && (
        <TextInput
          label={t('word.name')}
          description={t('webhooks.name.help')}
          value={draft.name}
          error={problemOf('name')}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
      )}
    </>
  )
}
