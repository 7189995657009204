// Owns the first screen: the question of the first run, or the objects there are and a place for the next table.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconTable } from '@tabler/icons-react'
import { Suspense } from 'react'
import type { ReactNode } from 'react'
import { LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { discoveryQuery } from '../../lib/discovery.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useMay } from '../../lib/own-rights.ts'
import { t, tn } from '../../lib/strings.ts'
import { NewTableFlow } from '../import/index.ts'
import { objectPluralLabel, recordCountQuery, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import classes from './home-screen.module.css'

const ReadyApps = lazyPart(async () => ({ default: (await import('../packages/index.ts')).ReadyApps }))
const OverviewParts = lazyPart(async () => ({ default: (await import('./overview-parts.tsx')).OverviewParts }))

/** Home. With nothing stored yet it asks what to keep track of and takes a pasted table at once. */
export function HomeScreen() {
  const { data: objects, error, refetch } = useObjects()
  const mayMake = useMay('manage_metadata') !== false
  if (error && !objects) {
    return (
      <Page title={t('word.home')}>
        <LoadFailure error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  if (!objects) return null
  const first = objects.length === 0
  if (!mayMake && !first) return <Overview objects={objects} />
  return (
    <NewTableFlow
      autoFocus={first}
      before={(area) => (first ? <FirstRun area={area} /> : <Overview objects={objects} area={area} />)}
    />
  )
}

function FirstRun(props: { area: ReactNode }) {
  const { data: manifest } = useQuery(discoveryQuery)
  const mayInstall = useMay('manage_packages') === true
  return (
    <Page title={t('home.question')} lead={t('home.lead')} width="narrow">
      <div className={classes.area}>{props.area}</div>
      <p className={classes.blank}>
        {t('home.or')}{' '}
        <Button component="a" href="#/new/blank" variant="subtle" size="compact-md">
          {t('home.blank')}
        </Button>
      </p>
      {manifest?.routes.sync != null && (
        <p className={classes.blank}>
          {t('home.elsewhere')}{' '}
          <Button component="a" href="#/sync/join" variant="subtle" size="compact-md">
            {t('word.joinDevice')}
          </Button>
        </p>
      )}
      {mayInstall && manifest?.routes.packages != null && (
        <Suspense fallback={null}>
          <ReadyApps />
        </Suspense>
      )}
      <p className={classes.local}>{t('home.local')}</p>
    </Page>
  )
}

/** `area` takes a table; absent for who may not make an object of it. */
function Overview(props: { objects: readonly ObjectItem[]; area?: ReactNode }) {
  return (
    <Page title={t('word.home')}>
      <Suspense fallback={null}>
        <OverviewParts objects={props.objects} />
      </Suspense>
      <h2 className={classes.heading}>{t('home.objects')}</h2>
      <ul className={classes.cards}>
        {props.objects.map((object) => (
          <ObjectCard key={object.name} object={object} />
        ))}
      </ul>
      {props.area !== undefined && (
        <>
          <h2 className={classes.heading}>{t('word.objectFromFile')}</h2>
          <div className={classes.smallArea}>{props.area}</div>
          <Button component="a" href="#/new/blank" variant="subtle" size="compact-md" ms={-11}>
            {t('home.blank')}
          </Button>
        </>
      )}
    </Page>
  )
}

function ObjectCard(props: { object: ObjectItem }) {
  const { object } = props
  const { data: count } = useQuery(recordCountQuery(object.name))
  const fields = Object.keys(object.fields).length
  return (
    <li>
      <a href={`#/o/${object.name}`} className={classes.card}>
        <IconTable size={20} stroke={1.5} aria-hidden />
        <span className={classes.cardText}>
          <span className={classes.cardTitle}>{objectPluralLabel(object)}</span>
          <span className={`${classes.cardLine} cairn-numbers`}>
            {count === undefined
              ? tn('home.fields', fields)
              : `${tn('word.recordCount', count)} · ${tn('home.fields', fields)}`}
          </span>
        </span>
      </a>
    </li>
  )
}
