// Owns whether other devices may connect to this one, and at which of its addresses.
import { Button, Checkbox, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { readPort } from './pair-link.ts'
import type { SyncSettings } from './sync-queries.ts'
import { useSettingsChange } from './use-settings-change.ts'
import classes from './sync.module.css'

/** The form. */
export function ListenForm(props: { given: SyncSettings }) {
  const { settings, addresses, listening } = props.given
  const change = useSettingsChange()
  const [listen, setListen] = useState(settings.listen)
  const [port, setPort] = useState(settings.port === 0 ? '' : String(settings.port))
  const [chosen, setChosen] = useState<readonly string[]>(settings.interfaces)
  const wanted = readPort(port)
  const { tried, busy, problem, onSubmit } = useSubmit(
    async () => change({ listen, port: wanted ?? 0, interfaces: [...chosen] }, t('listen.saved')),
    wanted !== undefined,
  )
  // An address of yesterday's network stays in the choice, so that it can be taken out of it.
  const gone = chosen.filter((address) => !addresses.some((each) => each.address === address))
  const toggle = (address: string, on: boolean): void =>
    setChosen(on ? [...chosen, address] : chosen.filter((each) => each !== address))
  return (
    <section className={parts.section} aria-labelledby="sync-listen">
      <h2 id="sync-listen">{t('listen.title')}</h2>
      <p className={parts.lead}>{t('listen.lead')}</p>
      <form onSubmit={onSubmit} noValidate className={parts.form}>
        <fieldset className={`${parts.options} ${parts.stack}`}>
          <legend className="cairn-hidden">{t('listen.title')}</legend>
          <Switch
            label={t('listen.on')}
            checked={listen}
            onChange={(event) => setListen(event.currentTarget.checked)}
          />
          {listen && (
            <>
              <TextInput
                label={t('listen.port')}
                description={t('listen.port.help')}
                value={port}
                error={tried && wanted === undefined ? t('listen.port.wrong') : undefined}
                inputMode="numeric"
                autoComplete="off"
                onChange={(event) => setPort(event.currentTarget.value)}
              />
              <fieldset className={`${parts.options} ${parts.choices}`}>
                <legend>{t('listen.interfaces')}</legend>
                <p className={classes.text}>{t('listen.interfaces.help')}</p>
                {addresses.map((each) => (
                  <Checkbox
                    key={each.address}
                    label={t(each.loopback ? 'listen.interface.loopback' : 'listen.interface', {
                      address: each.address,
                      name: each.interface,
                    })}
                    checked={chosen.includes(each.address)}
                    onChange={(event) => toggle(each.address, event.currentTarget.checked)}
                  />
                ))}
                {gone.map((address) => (
                  <Checkbox
                    key={address}
                    label={t('listen.interface.gone', { address })}
                    checked
                    onChange={() => toggle(address, false)}
                  />
                ))}
              </fieldset>
            </>
          )}
        </fieldset>
        {settings.listen && listening.length > 0 && (
          <dl className={parts.facts}>
            <dt>{t('listen.now')}</dt>
            <dd>
              {listening.map((address) => (
                <code key={address} className={classes.place}>
                  {address}
                </code>
              ))}
            </dd>
          </dl>
        )}
        {problem !== undefined && (
          <Notice tone="bad" live>
            {problemText(problem)}
          </Notice>
        )}
        <Button type="submit" variant="default" loading={busy} className={parts.start}>
          {t('word.save')}
        </Button>
      </form>
    </section>
  )
}
