// Owns the settings of a summary: which records it looks at, through which link, and what it makes of them.
import { NativeSelect } from '@mantine/core'
import { t } from '../../lib/strings.ts'
import { childLinks, numericFields } from './child-links.ts'
import { objectLabel } from './object-item.ts'
import { useObjects } from './object-queries.ts'

const functions = ['count', 'sum', 'min', 'max', 'avg'] as const

/** The part of a definition that this form writes; other keys stay. */
export interface SummaryOperations {
  object?: string
  function?: string
  field?: string
  relationField?: string
  [key: string]: unknown
}

/** The form; only objects that link to `object` are offered. */
export function SummarySettings(props: {
  object: string
  value: SummaryOperations
  showMissing: boolean
  onChange: (value: SummaryOperations) => void
}) {
  const { data: objects = [] } = useObjects()
  const { value } = props
  const links = childLinks(objects, props.object)
  const child = objects.find((object) => object.name === value.object)
  const relations = links.filter((link) => link.object.name === value.object)
  const missing = (there: unknown): string | undefined =>
    props.showMissing && !there ? t('field.dialog.missing') : undefined
  const children = [...new Map(links.map((link) => [link.object.name, link.object])).values()]

  const chooseObject = (name: string): void => {
    const { field: _field, relationField: _relation, filter: _filter, ...rest } = value
    const own = links.filter((link) => link.object.name === name)
    const relation = own.length > 1 ? { relationField: own[0]?.field } : {}
    props.onChange({ ...rest, function: value.function ?? 'count', object: name, ...relation })
  }
  const chooseFunction = (name: string): void => {
    const { field, ...rest } = value
    props.onChange(name === 'count' ? { ...rest, function: name } : { ...rest, field, function: name })
  }

  if (links.length === 0) return <p role="status">{t('setting.summary.none')}</p>
  return (
    <>
      <NativeSelect
        label={t('setting.summary.object')}
        description={t('setting.summary.object.help')}
        value={value.object ?? ''}
        error={missing(value.object)}
        data={[
          { value: '', label: t('setting.objectNone') },
          ...children.map((object) => ({ value: object.name, label: objectLabel(object) })),
        ]}
        onChange={(event) => chooseObject(event.currentTarget.value)}
      />
      {relations.length > 1 && (
        <NativeSelect
          label={t('setting.summary.relation')}
          value={value.relationField ?? relations[0]?.field}
          data={relations.map((link) => ({ value: link.field, label: link.label }))}
          onChange={(event) => props.onChange({ ...value, relationField: event.currentTarget.value })}
        />
      )}
      <NativeSelect
        label={t('setting.summary.function')}
        value={value.function ?? 'count'}
        data={functions.map((name) => ({ value: name, label: t(`setting.summary.function.${name}`) }))}
        onChange={(event) => chooseFunction(event.currentTarget.value)}
      />
      {value.function !== undefined && value.function !== 'count' && (
        <NativeSelect
          label={t('setting.summary.field')}
          value={value.field ?? ''}
          error={missing(value.field)}
          data={[{ value: '', label: t('setting.fieldNone') }, ...(child ? numericFields(child) : [])]}
          onChange={(event) => props.onChange({ ...value, field: event.currentTarget.value || undefined })}
        />
      )}
    </>
  )
}
