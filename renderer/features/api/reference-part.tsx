// Owns the documentation of one object's API, from the document of the host: what can be asked, what is refused, and a try.
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../components/delayed.tsx'
import { ListDetail } from '../../components/list-detail.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { fieldLabel, isEditable } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { useSearch } from 'wouter'
import type { ObjectItem } from '../objects/index.ts'
import { typeLabel } from '../objects/index.ts'
import { useShownFields } from '../records/index.ts'
import { apiPath } from './api-places.ts'
import { ObjectChoice } from './object-choice.tsx'
import { operationsOf } from './object-document.ts'
import type { ApiDocument } from './object-document.ts'
import { OperationDetail } from './operation-detail.tsx'

/** The part; `object` is what is documented. */
export function ReferencePart(props: { object: string | undefined }) {
  return (
    <ObjectChoice name={props.object} onChoose={(name) => navigate(apiPath('reference', name))}>
      {(object, choice) => (
        <>
          <div className={parts.bar}>{choice}</div>
          <Reference key={object.name} object={object} />
        </>
      )}
    </ObjectChoice>
  )
}

function Reference({ object }: { object: ObjectItem }) {
  const { name } = object
  const chosen = new URLSearchParams(useSearch()).get('op') ?? undefined
  const fields = useShownFields(object)
  const document = useQuery({
    queryKey: ['api-document'],
    queryFn: async ({ signal }) => (await call('getOpenApi', { signal })) as unknown as ApiDocument,
    staleTime: 300_000,
  })
  const rights = useQuery({
    queryKey: ['own-rights', 'object', name],
    queryFn: async ({ signal }) => call('getObjectPermissions', { params: { object: name }, signal }),
  })
  const error = document.error ?? rights.error
  if (error) {
    const retry = (): void => {
      void document.refetch()
      void rights.refetch()
    }
    return <LoadFailure error={error} onRetry={retry} />
  }
  if (!document.data || !rights.data) return <Loading />
  const { permissions, fieldPermissions } = rights.data
  const mayWrite = (field: string): boolean => fieldPermissions[field]?.editable !== false
  const operations = operationsOf(document.data, {
    object: name,
    methods: methodsOf(object),
    may: permissions,
    writable: fields.filter((field) => isEditable(field) && mayWrite(field.name)),
  })
  const operation = operations.find(({ id }) => id === chosen)
  return (
    <>
      <ListDetail
        label={t('api.reference.operations')}
        entries={operations.map(({ id, method, path, summary }) => ({
          key: id,
          href: `#${apiPath('reference', name, `op=${id}`)}`,
          label: summary,
          note: `${method} ${path}`,
        }))}
        chosen={operation?.id}
        back={{ href: `#${apiPath('reference', name)}`, label: t('api.reference.back') }}
      >
        {operation ? (
          <OperationDetail key={operation.id} operation={operation} />
        ) : (
          <p className={parts.lead}>{t('api.reference.choose')}</p>
        )}
      </ListDetail>
      <section className={parts.section}>
        <h2>{t('word.fields')}</h2>
        <ListTable
          label={t('word.fields')}
          columns={[
            { label: t('word.name') },
            { label: t('word.label') },
            { label: t('word.type') },
            { label: t('api.field.written') },
          ]}
        >
          {fields.map((field) => (
            <tr key={field.name}>
              <th scope="row">
                <code>{field.name}</code>
              </th>
              <td>{fieldLabel(field)}</td>
              <td>{typeLabel(field.type)}</td>
              <td>{writingOf(isEditable(field) && mayWrite(field.name), field.required === true)}</td>
            </tr>
          ))}
        </ListTable>
      </section>
    </>
  )
}

function writingOf(isWritable: boolean, isRequired: boolean): string {
  if (!isWritable) return t('api.field.readOnly')
  return t(isRequired ? 'api.field.required' : 'api.field.optional')
}

/** Operations the object's API offers; null for all. @source D-71 */
function methodsOf({ enable }: ObjectItem): readonly string[] | null {
  const methods = enable?.['apiMethods']
  return Array.isArray(methods) ? methods.filter((one) => typeof one === 'string') : null
}
