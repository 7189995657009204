// Owns the page of one form, where its link leads: the form and nothing else.
import { Button } from '@mantine/core'
import { Delayed } from '../../components/delayed.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import { Page, usePageTitle } from '../../components/page.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { t } from '../../lib/strings.ts'
import { useObject } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { useFieldContext, useShownFields, useStoredViews } from '../records/index.ts'
import type { StoredView } from '../records/index.ts'
import { readForm } from './form-config.ts'
import { FormSheet } from './form-sheet.tsx'
import classes from './form.module.css'

/** The page. */
export function FormScreen(props: { name: string; view: string }) {
  const object = useObject(props.name)
  const views = useStoredViews(props.name)
  const error = object.error ?? views.error
  const view = views.data?.find(({ id, type }) => id === props.view && type === 'form')
  if (error && !hasCode(error, 'resource_not_found') && (!object.data || !views.data)) {
    return (
      <Page title={props.name}>
        <LoadFailure
          error={error}
          onRetry={() => {
            void object.refetch()
            void views.refetch()
          }}
        />
      </Page>
    )
  }
  if (error || (views.data && !view)) {
    return (
      <Page title={t('form.notFound')} lead={t('form.notFound.text')}>
        <Button component="a" href={`#/o/${props.name}`} variant="default" mt="md">
          {t('word.allRecords')}
        </Button>
      </Page>
    )
  }
  if (!object.data || !view) {
    return (
      <Page title={props.name}>
        <Delayed>
          <p role="status">{t('word.loading')}</p>
        </Delayed>
      </Page>
    )
  }
  return <Sheet object={object.data} view={view} />
}

function Sheet({ object, view }: { object: ObjectItem; view: StoredView }) {
  const fields = useShownFields(object)
  const context = useFieldContext()
  usePageTitle(view.label)
  return (
    <div className={classes.page}>
      <FormSheet
        object={object}
        name={view.label}
        form={readForm(view.config, fields)}
        fields={fields}
        context={context}
        level={1}
      />
    </div>
  )
}
