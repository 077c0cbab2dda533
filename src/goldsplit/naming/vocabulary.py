"""Words that programmers use for the parts of a training, by what they mean.

English first; a few French, German, Dutch, Spanish, Portuguese, Italian, Polish, Russian and Japanese ones
(in Latin letters). A name is read by its parts: `foeMoves` is `foe` and `moves`. A part means a word if it is
that word, its plural or another ending, or its consonants alone (`stp` for `step`), as many people write.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORDS: dict[str, str] = {
    "step": """
        step tick advance turn round move play simulate apply proceed execute perform frame tour jouer
        avancer coup pas schritt zug runde spielzug ziehen shag hod hodit shodit igrat susumu susumeru
        ugoku ugokasu asobu paso jugar avanzar avancar mover turno passo giocare mossa muovere jogar tura ruch
        krok graj zet beurt stap speel spelen jogada rodada joga
    """,
    "reset": """
        reset restart begin start new init initialise initialize setup opening deal respawn spawn nouveau
        nouvelle commencer recommencer debut demarrer neu neue neuer anfang anfangen beginnen
        zuruecksetzen nachat nachalo zanovo novaya novyj razdat sbros hajime hajimeru saisho nuevo nueva
        empieza comienza inizio empezar reiniciar comenzar nuovo nuova iniziare inizia ricomincia novo nova
        comecar nowa nowy zacznij nieuw opnieuw herstart reinicia comeca
    """,
    "observe": """
        obs observe observation state view features feature encode encoding sense sensors perceive see
        vector tensor planes snapshot represent representation featurise featurize describe description
        embed embedding lookaround observer vue etat regarder voir beobachten beobachtung zustand sicht
        blick umschau merkmale nablyudat nablyudenie sostoyanie posmotret vid vzglyad priznaki kansatsu
        joutai miru mieru vista mirar estado observar ver osserva osservazione stato vedere guarda olhar
        visao widok stan patrz obserwuj obserwacja waarneming toestand kijk zicht observa olha enxerga
    """,
    "mask": """
        mask masks masque maske maska legal valid allowed allow permitted possible available playable
        autorise permis possibles legaux erlaubt moeglich gueltig dozvoleno mozhno vozmozhnye dopustimye
        yuukou kanou mascara maschera permitidas permitidos legales validas permesse lecite valide
        dozwolone geldig toegestaan mogelijk zulaessig validos
    """,
    "reward": """
        reward rewards payoff fitness recompense gain belohnung lohn punkte nagrada houshuu houshu tokuten
        premio premi recompensa ganancia ricompensa guadagno nagroda pay wage wages earnings bonus score
        points merit rew rews rwd rwds prize prizes prix beloning punten pontos
    """,
    "done": """
        done over finished finish ended end terminated terminal truncated gameover dead lost won complete
        fini termine fin mort ende fertig vorbei aus tot konec konchen zakonchen okonchena owari owatta
        shuuryou terminado acabado muerto fine finito finita terminato fim acabou koniec skonczone term
        trunc klaar voorbij einde gewonnen verloren terminou morreu
    """,
    "opponent": """
        opponent opponents enemy enemies foe foes bot bots rival adversary adverse villain npc ai cpu
        monster monsters computer ordinateur ordenador adversaire ennemi ennemis gegner feind feinde
        protivnik vrag vraga vragi vragov sopernik teki aite raibaru enemigo oponente contrincante
        nemico avversario inimigo adversario wrog wroga wrogi wrogow przeciwnik guard guards ghost
        ghosts zombie zombies pirate pirates invader invaders hunter hunters beast creature
        creatures mob mobs defender attacker tegenstander vijand vijanden oponente oponentes rivais
    """,
    "choose": """
        act action choose chosen choice select pick decide think sample policy guess greedy explore
        exploit choisir choix decider agir waehlen wahl entscheiden handeln vybrat vybor reshit dejstvie
        dumat erabu kimeru koudou kangaeru elegir escoger decidir accion scegli scegliere sceglie azione
        decidere escolher acao wybierz wybor akcja kies keuze beslis denk escolhe decide
    """,
    "value": """
        value values worth critic bootstrap valeur wert ocenka stoimost kachi
    """,
    "store": """
        push store remember add append record memorise memorize keep save put insert stash ajouter stocker
        retenir memoriser ranger merken speichern ablegen hinzufuegen einfuegen zapomnit dobavit sohranit
        oboeru tameru tsuika guardar recordar anadir ricorda aggiungi memorizza salva lembrar zapisz
        zapamietaj dodaj onthoud bewaar lembra guarda
    """,
    "sample": """
        sample draw batch minibatch handful fetch recall tirer lot echantillon piocher ziehen stichprobe
        stapel probe vyborka dostat vzyat vspomnit omoidasu toridasu chuushutsu muestra lote sacar
        campione estrai pesca amostra probka losuj steekproef trekking sorteia
    """,
    "priority": """
        priority priorities prio prios weights reweight gewichten prioriser prioritet yuusendo
    """,
    "memory": """
        replay buffer memory storage rollout experience transitions memoire tampon gedaechtnis puffer
        speicher pamyat bufer omoide kioku keiken memoria recuerdos ricordi pamiec bufor geheugen lembranca
    """,
    "learn": """
        learn train fit optimise optimize update improve study lesson backprop gradient descend teach sgd
        apprendre entrainer entraine maj ameliorer lecon lernen trainieren ueben verbessern nachahmen
        lehre uchit uchitsya obuchit obuchenie urok trenirovat manabu gakushuu renshuu kunren aprender
        estudiar entrenar ajustar impara imparare allena allenare addestra treinar ucz trenuj aktualizuj
        oefen verbeter aprende treina
    """,
    "returns": """
        returns return gae advantage advantages adv discount discounted nstep lambda retours avantage
        avantages vorteil vorteile ertraege vozvraty preimushchestva shuueki retornos ventajas vantaggi
        ritorni zwroty przewagi
    """,
    "output": """
        log print report write dump stats metrics progress summary display show tell say journal afficher
        imprimer rapport bericht drucken melden zapisat pechat pechatat otchet kaku hyouji imprimir
        mostrar stampa scrivi mostra drukuj wypisz
    """,
    "evaluation": """
        eval evaluate evaluation test validate validation benchmark arena exam duel tournament evaluer
        essai pruefen pruefung bewerten testen probefahrt ocenit ocenka proverka proverit hyouka shiken
        tameshi evaluar probar prueba valuta prova testa avaliar ocen sprawdz toets proef beoordeel avalia
    """,
    "save": """
        save checkpoint export sauver sauvegarder speichern sichern sohranit hozon
    """,
    "render": """
        render paint blit animate dessiner zeichnen risovat byouga
    """,
    "search": """
        search mcts tree minimax alphabeta negamax expectimax uct puct simulate simulation simulations
        plan planner lookahead recherche chercher suche suchen baum poisk derevo tansaku
        zoek zoeken busca procura
    """,
    "network": """
        net network brain model policy actor critic head module reseau cerveau netz gehirn hirn golova
        mozg atama nou rete rede siec cerebro cervello netwerk brein hersenen
    """,
    "environment": """
        env environment game world board battle sim simulator arena match engine level room field jeu
        monde plateau partie bataille spiel welt brett umgebung igra mir doska sreda geemu sekai juego
        mundo tablero batalla gioco mondo campo partita jogo gra swiat plansza omgeving wereld bord
    """,
}

#: Short words that are something else in another language, or in most names: they count as a whole name only.
_ONLY_ALONE = frozenset(["aus", "fin", "gra", "lot", "mir", "nova", "pas", "stan", "vid"])
_SPLIT = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+")
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "or", "en", "e", "n", "r")
_MISSING_ENDINGS = ("n", "en", "r", "er", "e")
_VOWELS = re.compile(r"(?<!^)[aeiouy]")
#: Consonants alone are read as a word only if they are at least this many: `mv` could be anything.
_LEAST_CONSONANTS = 3


def words_in(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


#: What picks one of several things, in libraries.
CHOOSING = words_in("argmax argmin choice choices multinomial randint randrange sample searchsorted topk")


#: Names that hold as long as a game goes on.
_GOING_ON = words_in("active alive continue going lives playing running")


def goes_on(name: str) -> bool:
    """Whether a name holds as long as a game goes on: `alive`, `still_running`."""
    return bool(set(parts_of(name)) & _GOING_ON)


def parts_of(name: str) -> tuple[str, ...]:
    """The words in a name, small: camelCase, under_scores, digits apart."""
    return tuple(part.lower() for part in _SPLIT.findall(name))


def _meanings() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    whole: dict[str, set[str]] = {}
    consonants: dict[str, set[str]] = {}
    for meaning, words in _WORDS.items():
        for word in words.split():
            whole.setdefault(word, set()).add(meaning)
            short = _VOWELS.sub("", word)
            if len(short) >= _LEAST_CONSONANTS and short != word:
                consonants.setdefault(short, set()).add(meaning)
    return ({word: frozenset(found) for word, found in table.items()} for table in (whole, consonants))  # type: ignore[return-value]


_WHOLE, _CONSONANTS = _meanings()
#: Without the vowels at their end, which many languages change: `nagrada`, `nagrady`, `nagradu`.
_LEAST_STEM = 5
_STEMS: dict[str, frozenset[str]] = {}
#: The parts of a compound are at least this long.
_LEAST_FIRST, _LEAST_SECOND = 4, 3
for _word, _found in _WHOLE.items():
    if len(_stem := _word.rstrip("aeiouyj")) >= _LEAST_STEM:
        _STEMS[_stem] = _STEMS.get(_stem, frozenset()) | _found


@lru_cache(maxsize=1 << 14)
def meanings_of_part(part: str) -> frozenset[str]:
    """What one part of a name may mean."""
    if part in _WHOLE:
        return _WHOLE[part]
    for ending in _ENDINGS:
        stem = part.removesuffix(ending)
        if stem != part and len(stem) >= 3:
            for known in (stem, stem + "e"):
                if known in _WHOLE:
                    return _WHOLE[known]
    for ending in _MISSING_ENDINGS:
        if len(part) >= 4 and part + ending in _WHOLE:
            return _WHOLE[part + ending]
    return _CONSONANTS.get(part) or _STEMS.get(part.rstrip("aeiouyj")) or _of_compound(part)


def _of_compound(part: str) -> frozenset[str]:
    """What two words written as one mean: `feindzug`, `vijandbeurt`, with or without an s between them."""
    for end in range(_LEAST_FIRST, len(part) - _LEAST_SECOND + 1):
        first, second = part[:end], part[end:]
        if second in _WHOLE and (first in _WHOLE or first.removesuffix("s") in _WHOLE):
            one = _WHOLE.get(first, _WHOLE.get(first.removesuffix("s"), frozenset()))
            return (one | _WHOLE[second]) - {"environment"}  # a battlefield may be anything
    return frozenset()


@lru_cache(maxsize=1 << 14)
def meanings_of(name: str) -> frozenset[str]:
    """All that the parts of a name may mean."""
    found: set[str] = set()
    parts = parts_of(name)
    for part in parts:
        if len(parts) == 1 or part not in _ONLY_ALONE:
            found |= meanings_of_part(part)
    return frozenset(found)


def means(name: str, meaning: str) -> bool:
    """Whether a part of a name can have a meaning."""
    return meaning in meanings_of(name)
