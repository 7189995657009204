// Owns choosing the object a part of the API page is about, and what stands there while there is none.
import { Button, NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'

/** The choice above what is shown of the chosen object: the one of the name, else the first. */
export function ObjectChoice(props: {
  name: string | undefined
  onChoose: (name: string) => void
  children: (object: ObjectItem, choice: ReactNode) => ReactNode
}) {
  const { data: objects, error, refetch } = useObjects()
  if (error && !objects) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!objects) return <Loading />
  const chosen = objects.find(({ name }) => name === props.name) ?? objects[0]
  if (!chosen) {
    const make = (
      <Button component="a" href="#/new">
        {t('word.newObject')}
      </Button>
    )
    return (
      <EmptyState title={t('api.noObjects')} actions={make}>
        {t('api.noObjects.text')}
      </EmptyState>
    )
  }
  const choice = (
    <NativeSelect
      label={t('word.object')}
      value={chosen.name}
      data={objects.map((object) => ({ value: object.name, label: objectPluralLabel(object) }))}
      onChange={(event) => props.onChoose(event.currentTarget.value)}
    />
  )
  return props.children(chosen, choice)
}
