// Owns the page of one object's records: loads the definition, then shows grid, empty state or what went wrong.
import { Button } from '@mantine/core'
import { Delayed } from '../../components/delayed.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel, useObject } from '../objects/index.ts'
import { ObjectViews } from './object-views.tsx'
import type { RenderKind } from './object-views.tsx'
import type { RenderPeek } from './record-peek-place.tsx'

/** The page; `peek` shows a record beside the others, `kind` the views that are no grid. */
export function RecordsScreen(props: { name: string; peek?: RenderPeek; kind?: RenderKind }) {
  const { data: object, error, refetch } = useObject(props.name)
  if (error && !object) {
    if (hasCode(error, 'resource_not_found')) {
      return (
        <Page title={t('records.notFound')} lead={t('records.notFound.text')}>
          <Button component="a" href="#/objects" variant="default" mt="md">
            {t('nav.allObjects')}
          </Button>
        </Page>
      )
    }
    return (
      <Page title={props.name}>
        <LoadFailure error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  if (!object) {
    return (
      <Page title={props.name} width="full">
        <Delayed>
          <p role="status">{t('records.loading')}</p>
        </Delayed>
      </Page>
    )
  }
  if (Object.keys(object.fields).length === 0) {
    return (
      <Page title={objectPluralLabel(object)}>
        <EmptyState
          title={t('records.noFields')}
          actions={
            <Button component="a" href={`#/objects/${object.name}`}>
              {t('records.fields')}
            </Button>
          }
        >
          {t('records.noFields.text')}
        </EmptyState>
      </Page>
    )
  }
  return <ObjectViews object={object} peek={props.peek} kind={props.kind} />
}
