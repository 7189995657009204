// Owns when a field is edited live, and loading the editor for it.
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { FieldDefinition } from '../../fields/index.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { t } from '../../lib/strings.ts'
import type { MarkdownEditorProps } from './markdown-editor.tsx'

const MarkdownEditor = lazyPart(async () => ({ default: (await import('./markdown-editor.tsx')).MarkdownEditor }))

/** The longest text of each type that is edited live, where its field says nothing. @source D-94 */
const lengths: Readonly<Record<string, number>> = { markdown: 1_000_000, textarea: 100_000, code: 1_000_000 }

/** Whether a field is one that is edited live where the host offers it. */
function isLiveField(field: FieldDefinition): boolean {
  return Object.hasOwn(lengths, field.type)
}

/** Whether the host offers to edit a field live. */
export function useHasLiveText(field: FieldDefinition): boolean {
  const { data: manifest } = useQuery(discoveryQuery)
  return isLiveField(field) && manifest?.services['sync']?.enabled === true
}

/** The editor of a field. */
export function LiveText(
  props: { field: FieldDefinition } & Omit<MarkdownEditorProps, 'type' | 'maxLength' | 'placeholder'>,
) {
  const { field, ...rest } = props
  const most = lengths[field.type] ?? 0
  return (
    <Suspense fallback={<p role="status">{t('live.connecting')}</p>}>
      <MarkdownEditor
        {...rest}
        type={field.type}
        maxLength={Math.min(field.maxLength ?? most, most)}
        placeholder={field.placeholder}
      />
    </Suspense>
  )
}
