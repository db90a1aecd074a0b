/** Control of the virtual terminals: how they behave, and what the payer does at one that waits. */
import { Hono } from 'hono';
import * as z from 'zod';
import { CARD_NAMES } from '../books/cards.ts';
import type { Simulator } from '../simulator.ts';
import { approveThenReverse, fail, present, refuse } from '../terminals/card-presence.ts';
import { sessionView } from '../terminals/sessions.ts';
import { TERMINAL_MODES, type Terminal } from '../terminals/terminals.ts';
import { json, Problem, readBody } from './problem.ts';

const settings = z.strictObject({
  mode: z.enum(TERMINAL_MODES).optional(),
  delayMs: z.int().nonnegative().optional(),
  card: z.enum(CARD_NAMES).optional(),
});

const ACTIONS = ['tap', 'insert', 'decline', 'cancel', 'remove_early', 'approve_then_reverse'] as const;

export const ACTION_MEANINGS: Readonly<Record<(typeof ACTIONS)[number], string>> = {
  tap: 'the payer presents `card`, or the card of the terminal; amounts that always decline still do; `amount`: the issuer approves this amount (minor units) instead',
  insert: 'the same as tap',
  decline: 'the card is declined: by the issuer if eventId is above 10000 (default 10005), else by the terminal',
  cancel: 'the payer presses cancel: event id 1000, or eventId',
  remove_early: 'the card is removed too early: event id 1007, or eventId',
  approve_then_reverse:
    'the payment is approved; after delaySeconds (default 1) the platform reverses what is left of it',
};

const action = z.strictObject({
  action: z.enum(ACTIONS),
  card: z.enum(CARD_NAMES).optional(),
  eventId: z.int().min(1).optional(),
  delaySeconds: z.number().nonnegative().optional(),
  amount: z.int().min(1).optional(),
});

const CANCELLED = 1000;
const DECLINED_BY_CARD = 1007;
const DO_NOT_HONOUR = 10005;
const FIRST_ISSUER_EVENT_ID = 10_000;

export function terminalRoutes(sim: Simulator): Hono {
  const app = new Hono();
  app.get('/_sim/terminals', () => json({ terminals: sim.terminals.list().map((terminal) => view(sim, terminal)) }));
  app.patch('/_sim/terminals/:id', async (c) => {
    const terminal = find(sim, c.req.param('id'));
    Object.assign(terminal, await readBody(c.req.raw, settings));
    return json(view(sim, terminal));
  });
  app.post('/_sim/terminals/:id/actions', async (c) => {
    const terminal = find(sim, c.req.param('id'));
    const body = await readBody(c.req.raw, action);
    const session = sim.books.sessions.openOn(terminal.terminalId, sim.clock.now());
    if (session === undefined) {
      throw new Problem(409, 'The terminal has no open session.');
    }
    const card = body.card ?? terminal.card;
    switch (body.action) {
      case 'tap':
      case 'insert':
        present(sim, session, card, body.amount);
        break;
      case 'approve_then_reverse':
        approveThenReverse(sim, session, card, body.delaySeconds);
        break;
      case 'cancel':
        fail(sim, session, body.eventId ?? CANCELLED);
        break;
      case 'remove_early':
        fail(sim, session, body.eventId ?? DECLINED_BY_CARD);
        break;
      case 'decline': {
        const eventId = body.eventId ?? DO_NOT_HONOUR;
        if (eventId > FIRST_ISSUER_EVENT_ID) {
          refuse(sim, session, card, eventId);
        } else {
          fail(sim, session, eventId);
        }
      }
    }
    return json(sessionView(session, true));
  });
  return app;
}

function find(sim: Simulator, terminalId: string): Terminal {
  const terminal = sim.terminals.find(terminalId);
  if (terminal === undefined) {
    const valid = sim.terminals.list().map((known) => known.terminalId);
    throw new Problem(404, 'There is no such terminal.', { valid });
  }
  return terminal;
}

function view(sim: Simulator, terminal: Terminal) {
  return {
    ...terminal,
    openSessionId: sim.books.sessions.openOn(terminal.terminalId, sim.clock.now())?.sessionId ?? null,
  };
}
