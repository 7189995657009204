// Owns the screen on which this device joins another one's workspace. A link only fills it in: nothing is sent before a
// person has said so here. Which pairing is under way is in the address, so that a reload goes on with it.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { navigate, useHashSearch } from '../../lib/hash-location.ts'
import { removeLinkParameters } from '../../lib/link-parameters.ts'
import { t } from '../../lib/strings.ts'
import { useObjects } from '../objects/index.ts'
import { JoinForm } from './join-form.tsx'
import { PairingSteps } from './pairing-steps.tsx'
import { Step, StepLevel } from './step.tsx'
import { joinPath } from './sync-places.ts'
import { pairingQuery } from './sync-queries.ts'
import classes from './sync.module.css'

/** The screen. */
export function JoinScreen() {
  // Not the router's own: it takes escapes apart once more than they were put together, and the link has some.
  const parameters = new URLSearchParams(useHashSearch())
  const link = useFollowedLink(parameters.get('link'))
  const id = parameters.get('pairing')
  if (id !== null && id !== '') return <Joining id={id} />
  return <Asking key={link} link={link} />
}

/** The link of the address. It holds a code, so it leaves the address at once; another one replaces it. */
function useFollowedLink(found: string | null): string | undefined {
  const [link, setLink] = useState(found ?? undefined)
  if (found !== null && found !== link) setLink(found)
  useEffect(() => {
    if (found !== null) removeLinkParameters(['link'])
  }, [found])
  return link
}

function Asking(props: { link: string | undefined }) {
  const { data: objects } = useObjects()
  const isLink = props.link !== undefined
  return (
    <Page
      title={t(isLink ? 'pair.join.link.title' : 'word.joinDevice')}
      lead={t(isLink ? 'pair.join.link.lead' : 'pair.join.lead')}
      width="narrow"
    >
      <JoinForm
        link={props.link}
        holdsData={objects !== undefined && objects.length > 0}
        onJoin={(pairingId) => navigate(`${joinPath}?pairing=${pairingId}`, { replace: true })}
      />
    </Page>
  )
}

function Joining(props: { id: string }) {
  const client = useQueryClient()
  const { data: pairing, error, refetch } = useQuery(pairingQuery(props.id))
  const again = (): void => navigate(joinPath, { replace: true })
  const cancel = (): void => {
    // It ends by itself within five minutes if this does not reach the host.
    call('cancelPairing', { params: { id: props.id } }).catch(() => undefined)
    again()
  }
  const open = (): void => {
    // Everything that was read before belongs to the empty workspace.
    void client.invalidateQueries()
    navigate('/')
  }
  const isEarly = pairing?.state === 'waiting' || pairing?.state === 'confirmed'
  return (
    <Page title={t('word.joinDevice')} width="narrow">
      <StepLevel value={2}>
        <div className={classes.joining}>
          {error && !pairing && !hasCode(error, 'pairing_not_found') && (
            <LoadFailure error={error} onRetry={() => void refetch()} />
          )}
          {error && hasCode(error, 'pairing_not_found') && !pairing && (
            <Step title={t('pair.failed')}>
              <Notice tone="bad">{t('pair.refused.expired')}</Notice>
              <Button onClick={again}>{t('word.tryAgain')}</Button>
            </Step>
          )}
          {!pairing && !error && <Loading />}
          {pairing && (
            <PairingSteps
              pairing={pairing}
              waiting={
                <Step title={t('pair.join.connecting')}>
                  <p className={classes.text} role="status">
                    {t('pair.join.lead')}
                  </p>
                </Step>
              }
              onAnswered={() => void refetch()}
              onDone={<Button onClick={open}>{t('pair.done.open')}</Button>}
              onFailed={<Button onClick={again}>{t('word.tryAgain')}</Button>}
            />
          )}
          {isEarly && (
            <Button variant="default" onClick={cancel}>
              {t('app.cancel')}
            </Button>
          )}
        </div>
      </StepLevel>
    </Page>
  )
}
