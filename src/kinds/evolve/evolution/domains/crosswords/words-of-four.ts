/** Common English words with clues, one word per line; see generate.ts. */
export const WORDS_OF_FOUR = `
ABLE having the skill
ACID lemon juice is one
ACRE area of a field
AGED grown old
ALSO as well
ANTS insects on the march
APES our nearest relatives
ARCH curved top of a doorway
AREA length times width
ARMS they end in hands
ATOM smallest part of an element
AUNT sister of a parent
AWAY not here
BABY very young child
BAKE cook in an oven
BALL round thing to kick
BAND group that makes music
BANK it keeps your money
BARE without cover
BARN building for hay
BATH tub full of warm water
BEAN seed in a long pod
BEAR large animal that likes honey
BEAT win against
BEER drink with a head of foam
BELL it rings
BEND not straight part of a road
BEST better than all others
BIRD animal with feathers
BLUE colour of the sky
BOAT small ship
BONE a dog likes to gnaw it
BOOK it has pages
BORE drill a hole
CAGE home of a parrot
CAKE sweet food with candles
CALM without wind
CAMP place with tents
CARD it is sent on a birthday
CARE look after
CART a horse pulls it
CASE detective's job
CAVE hollow in a hill
CITY London or Paris
CLAY potter's material
COAL black fuel
COAT it is worn in winter
COLD like ice
CORN yellow grain on a cob
CRAB animal that walks sideways
CROW black bird
DARE be brave enough
DARK without light
DATE day of the month
DEAL hand out cards
DEAR word at the start of a letter
DEEP far down
DEER forest animal with antlers
DESK table for work
DIET what one eats
DIRT what soap removes
DISH plate of food
DOOR it opens with a handle
DOVE white bird of peace
DRUM it is beaten in a band
DUCK bird that quacks
DUST it gathers on shelves
EACH every one
EARL British nobleman
EARN get money for work
EARS a rabbit has long ones
EASE lack of effort
EAST where the sun rises
EASY not hard
ECHO sound that comes back
EDGE outer limit
EVEN like 2, 4 and 6
EVER at any time
EXIT way out
FACE front of the head
FACT something true
FAIR just
FALL go down
FARM place with cows and fields
FAST quick
FEAR feeling in a horror film
FEET they wear shoes
FERN green plant of the woods
FILE tool for nails
FIND discover
FIRE it burns
FISH animal with gills
FIVE fingers of a hand
FLAG cloth on a pole
FLAT without hills
FOAM bubbles on a wave
FOOD what we eat
FOOT twelve inches
FORK it lies beside the knife
FROG green animal that hops
GAME chess, for example
GATE door in a fence
GIFT present
GIRL young woman
GLUE it sticks things together
GOAL aim of a football team
GOAT farm animal with a beard
GOLD metal of a first prize
GRAY colour between black and white
HAIR it grows on the head
HALF fifty per cent
HAND it has five fingers
HARE fast relative of the rabbit
HEAR use the ears
HEAT warmth
HERO brave man of a story
HIDE keep out of sight
HILL small mountain
HOLE doughnut's centre
HOME where one lives
HOPE wish for the future
HOUR sixty minutes
IDEA thought
IDLE doing nothing
INCH small part of a foot
IRON metal that rusts
ISLE land in the sea
ITEM thing on a list
JUMP leap
KEEN eager
KING ruler with a crown
KITE toy that flies on a string
KNEE joint of the leg
LACE it ties a shoe
LAKE water with land around it
LAMB young sheep
LAMP it gives light
LAND not the sea
LANE narrow road
LATE after the agreed time
LEAF it falls in autumn
LEAN not fat
LESS not so much
LIFE what a biologist studies
LINE shortest way between two points
LION king of the beasts
LIST what one takes to the shop
LOAN money from a bank
LOUD not quiet
LOVE strong affection
MAIL letters and parcels
MEAL lunch or dinner
MEAT butcher's goods
MICE animals that like cheese
MILE about 1.6 kilometres
MILK white drink
MINE coal comes out of it
MOON it shines at night
MOTH insect that flies to a lamp
NAIL it is hit with a hammer
NAME Anna or Peter
NEAR not far
NEAT tidy
NECK part below the head
NEED have to have
NEST birds build it
NEWS what a paper prints
NINE one less than ten
NOON twelve o'clock
NOSE you smell with it
NOTE sound of a melody
OATH solemn promise
OBEY do as one is told
ODDS chances of a bet
ONCE one time
ONLY and no more
OPEN not shut
ORAL spoken
OVEN bread is baked in it
OVER above
PAGE leaf of a book
PAIR two that belong together
PARK green place in a city
PART not the whole
PATH way through a wood
PEAR fruit like a green light bulb
PINE tree with needles
POET writer of verses
POND small lake
POOL place to swim
POOR not rich
RAIN water from a cloud
RARE seldom found
READ take in a book
REAL not imagined
REST take a break
RICE grain of Asia
RICH with much money
RING it is worn on a finger
RISE go up
ROAD cars drive on it
ROOF top of a house
ROOT part of a plant below the ground
ROPE it is pulled in a tug of war
ROSE flower with thorns
RULE it must not be broken
SAFE out of danger
SAIL it catches the wind
SALT it is beside the pepper
SAND beach material
SEAL animal that balances a ball
SEAT place to sit
SEED plants grow from it
SHIP it crosses the ocean
SHOE it is worn on a foot
SIDE left or right
SNOW it falls in winter
SOAP it is used with water
SODA fizzy drink
SONG it is sung
SOUP it is eaten with a spoon
STAR sun far away
STEM part of a flower
STEP part of a stair
SWAN large white bird on a lake
TAIL a happy dog wags it
TALE story
TALL like a giraffe
TEAM eleven in football
TEAR drop from the eye
TENT house of cloth
TIDE sea's rise and fall
TIME a clock shows it
TIRE get weary
TREE it has leaves and a trunk
TRUE not false
TUNE melody
TWIN one of two born together
UNIT metre or second
USED not new
VASE it holds flowers
VERB word such as "go"
VIEW what one sees from a tower
VOTE right of a citizen
WALL side of a room
WAND magician's stick
WASH make clean
WAVE surfer's ride
WEST where the sun sets
WIDE not narrow
WIND moving air
WINE drink made of grapes
WING birds have two
WOLF wild relative of the dog
WOOD it comes from trees
WOOL sheep give it
WORD group of letters
WORM early bird's catch
YARD three feet
YEAR twelve months
ZERO nothing
`;
