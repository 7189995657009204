// Owns the part of the designer that says what an object and its fields are called in other languages.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call, callTagged } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { labelItemName, readLabels, writeLabels } from './label-items.ts'
import type { ObjectLabels } from './label-items.ts'
import { objectLabel, objectPluralLabel } from './object-item.ts'
import type { ObjectItem } from './object-item.ts'
import classes from './preview.module.css'

interface LabelItem {
  /** Undefined when nobody wrote anything in the language yet. */
  item: Record<string, unknown> | undefined
  etag: string | undefined
}

const localesQuery = queryOptions({
  queryKey: ['locales'] as const,
  queryFn: async ({ signal }) => (await call('listLocales', { signal })).locales,
})

function labelItemQuery(locale: string) {
  return queryOptions({
    queryKey: ['label-item', locale] as const,
    queryFn: async ({ signal }): Promise<LabelItem> => {
      const name = labelItemName(locale)
      const { items } = await call('listMetadataItems', { params: { type: 'translation' }, query: {}, signal })
      if (!items.some((item) => item['name'] === name)) return { item: undefined, etag: undefined }
      const { result, etag } = await callTagged('getMetadataItem', { params: { type: 'translation', name }, signal })
      return { item: result.item, etag }
    },
    enabled: locale !== '',
    staleTime: 0,
  })
}

/** The part: a language, and a text for everything that has a label. */
export function LabelsPart(props: { object: ObjectItem }) {
  const { data: locales, error, refetch } = useQuery(localesQuery)
  const [chosen, setChosen] = useState<string>()
  const locale = chosen ?? locales?.find(({ isDefault }) => !isDefault)?.code ?? locales?.[0]?.code ?? ''
  const stored = useQuery(labelItemQuery(locale))
  const failed = error ?? stored.error
  if (failed) return <LoadFailure error={failed} onRetry={() => void Promise.all([refetch(), stored.refetch()])} />
  const language = locales?.find(({ code }) => code === locale)?.label ?? locale
  return (
    <>
      <p className={parts.lead}>{t('labels.lead')}</p>
      <NativeSelect
        mt="md"
        maw={260}
        label={t('labels.language')}
        value={locale}
        data={(locales ?? []).map(({ code, label }) => ({ value: code, label }))}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      {stored.data && (
        <LabelForm
          key={locale}
          object={props.object}
          locale={locale}
          language={language}
          stored={stored.data}
          onReload={async () => (await stored.refetch()).data}
        />
      )}
    </>
  )
}

function LabelForm(props: {
  object: ObjectItem
  locale: string
  language: string
  stored: LabelItem
  onReload: () => Promise<LabelItem | undefined>
}) {
  const { object, locale, language, stored } = props
  const client = useQueryClient()
  const before = readLabels(stored.item, object)
  const [typed, setTyped] = useState<ObjectLabels>()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const labels = typed ?? before
  const isChanged = JSON.stringify(labels) !== JSON.stringify(before)

  const save = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      const name = labelItemName(locale)
      const item = writeLabels(stored.item, locale, object.name, labels)
      await call('saveMetadataItem', {
        params: { type: 'translation', name },
        query: {},
        body: { type: 'translation', name, item },
        headers: stored.etag === undefined ? undefined : { 'If-Match': stored.etag },
      })
      await props.onReload()
      setTyped(undefined)
      await client.invalidateQueries({ queryKey: ['objects'] })
      showToast({ message: t('labels.saved'), tone: 'good' })
    } catch (error) {
      const isOld = hasCode(error, 'CONCURRENT_UPDATE')
      setProblem(isOld ? t('labels.conflict') : problemText(error))
      if (isOld) await props.onReload()
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged && !busy) void save()
      }}
    >
      <div className={classes.labels}>
        <TextInput
          label={t('word.object')}
          placeholder={objectLabel(object)}
          value={labels.label}
          onChange={(event) => setTyped({ ...labels, label: event.currentTarget.value })}
        />
        <TextInput
          label={t('labels.plural')}
          placeholder={objectPluralLabel(object)}
          value={labels.pluralLabel}
          onChange={(event) => setTyped({ ...labels, pluralLabel: event.currentTarget.value })}
        />
      </div>
      <h2 className={classes.heading}>{t('word.fields')}</h2>
      <div className={classes.labels}>
        {Object.entries(object.fields).map(([name, field]) => {
          const label = field.label ?? name
          return (
            <TextInput
              key={name}
              label={label}
              aria-label={t('labels.of', { label, language })}
              placeholder={label}
              value={labels.fields[name] ?? ''}
              onChange={(event) =>
                setTyped({ ...labels, fields: { ...labels.fields, [name]: event.currentTarget.value } })
              }
            />
          )
        })}
      </div>
      {problem !== undefined && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      <Button type="submit" mt="md" variant="default" disabled={!isChanged} loading={busy}>
        {t('labels.save')}
      </Button>
    </form>
  )
}
