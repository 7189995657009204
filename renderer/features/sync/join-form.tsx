// Owns asking for what it takes to join: a code with an address, or a link, and what this device is called.
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t, tn } from '../../lib/strings.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { isAddress, isMailbox, readCode, readPairLink } from './pair-link.ts'
import type { PairLink } from './pair-link.ts'
import { groupFingerprint, refusalText } from './sync-words.ts'
import classes from './sync.module.css'

type Way = 'code' | 'link'

/**
 * The form; `onJoin` hears of the pairing that began. A link that was followed is shown and not changed. Where this device
 * holds data, a person says that it stays here.
 */
export function JoinForm(props: { link: string | undefined; holdsData: boolean; onJoin: (pairingId: string) => void }) {
  const [way, setWay] = useState<Way>(props.link === undefined ? 'code' : 'link')
  const [typedCode, setCode] = useState('')
  const [typedAddress, setAddress] = useState('')
  const [typedLink, setLink] = useState(props.link ?? '')
  const [typedName, setName] = useState('')
  const [keepOwn, setKeepOwn] = useState(false)
  const deviceName = typedName.trim()
  const address = typedAddress.trim()
  const isPlace = isAddress(address) || isMailbox(address)
  const code = readCode(typedCode)
  const link = readPairLink(typedLink)
  const followed = way === 'link' && props.link !== undefined
  const isPlaced = way === 'link' ? link !== undefined : code !== undefined && isPlace
  const isAgreed = keepOwn || !props.holdsData
  const isReady = deviceName !== '' && isPlaced && isAgreed

  const { tried, busy, problem, onSubmit } = useSubmit(async () => {
    const where = way === 'link' ? { link: typedLink.trim() } : { code: code!, address }
    const { pairingId } = await call('joinPairing', { body: { ...where, deviceName, ...(keepOwn && { keepOwn }) } })
    props.onJoin(pairingId)
  }, isReady)
  const wrongCode = wrongCodeText(problem)

  return (
    <form onSubmit={onSubmit} noValidate className={parts.form}>
      {!followed && (
        <fieldset className={`${parts.options} ${parts.choices}`}>
          <legend>{t('pair.join.by')}</legend>
          {(['code', 'link'] as const).map((each) => (
            <label key={each} className={classes.option}>
              <input type="radio" name="way" checked={way === each} onChange={() => setWay(each)} />
              {t(`pair.join.by.${each}`)}
            </label>
          ))}
        </fieldset>
      )}
      {way === 'code' && (
        <>
          <TextInput
            label={t('pair.join.code')}
            description={t('pair.join.code.help')}
            value={typedCode}
            error={tried && code === undefined ? t('pair.join.code.wrong') : wrongCode}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <TextInput
            label={t('pair.join.address')}
            description={t('pair.join.address.help')}
            value={typedAddress}
            error={tried && !isPlace ? t('peers.address.wrong') : undefined}
            autoComplete="off"
            spellCheck={false}
            maxLength={300}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
        </>
      )}
      {way === 'link' && !followed && (
        <TextInput
          label={t('word.link')}
          description={t('pair.join.link.help')}
          value={typedLink}
          error={tried && !link ? t('pair.join.link.wrong') : undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setLink(event.currentTarget.value)}
        />
      )}
      {followed && (link ? <LinkFacts link={link} /> : <Notice tone="bad">{t('pair.join.link.wrong')}</Notice>)}
      <TextInput
        label={t('on.name')}
        description={t('on.name.help')}
        value={typedName}
        error={tried && deviceName === '' ? t('on.name.missing') : undefined}
        maxLength={100}
        autoComplete="off"
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {props.holdsData && (
        <Notice tone="info" title={t('aside.join.title')}>
          <p className={classes.text}>{t('aside.join.text')}</p>
          <Checkbox
            mt="xs"
            label={t('aside.join.keep')}
            checked={keepOwn}
            error={tried && !isAgreed ? t('aside.join.missing') : undefined}
            onChange={(event) => setKeepOwn(event.currentTarget.checked)}
          />
        </Notice>
      )}
      {problem !== undefined && !(way === 'code' && wrongCode) && (
        <Notice tone="bad" live>
          {refusal(problem)}
        </Notice>
      )}
      <div className={parts.actions}>
        <Button type="submit" loading={busy}>
          {t('word.connect')}
        </Button>
        {followed && (
          <Button variant="default" onClick={() => setWay('code')}>
            {t('pair.join.another')}
          </Button>
        )}
      </div>
    </form>
  )
}

function LinkFacts(props: { link: PairLink }) {
  const { addresses, fingerprint, relay } = props.link
  return (
    <dl className={parts.facts}>
      {addresses.length > 0 && (
        <>
          <dt>{t('pair.join.link.goesTo')}</dt>
          <dd>
            {addresses.map((address) => (
              <code key={address} className={classes.place}>
                {address}
              </code>
            ))}
          </dd>
        </>
      )}
      {relay !== undefined && (
        <>
          <dt>{t('pair.join.link.relay')}</dt>
          <dd>
            <code className={classes.place}>{relay}</code>
          </dd>
        </>
      )}
      <dt>{t('word.fingerprint')}</dt>
      <dd>
        <code className={classes.fingerprint}>{groupFingerprint(fingerprint)}</code>
      </dd>
    </dl>
  )
}

/** What is said at the code: that it is not the one, and how often it may still be tried. */
function wrongCodeText(problem: unknown): string | undefined {
  if (!hasCode(problem, 'pairing_code_invalid')) return undefined
  const left = problem.details['triesLeft']
  return typeof left === 'number' ? tn('pair.join.code.refused', left) : t('pair.refused.code_invalid')
}

function refusal(problem: unknown): string {
  if (!hasCode(problem, 'pairing_refused', 'pairing_expired')) return wrongCodeText(problem) ?? problemText(problem)
  const reason = problem.details['reason']
  return refusalText(typeof reason === 'string' ? reason : undefined)
}
